// Types only: `tsc` compares the types of @google/genai with ours. A new or removed member of the SDK is a compile error
// until it is listed here.
import type * as genai from '@google/genai';
import type * as core from '@thole/core';

/** `true` if both types are equal, otherwise `never`, which does not compile. */
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : never) : never;

/** The keys that only our type has, and the keys that only the SDK's type has. Each must be listed. */
type Drift<Ours, Theirs> = { ours: Exclude<keyof Ours, keyof Theirs>; theirs: Exclude<keyof Theirs, keyof Ours> };

export const drift: {
  content: Same<Drift<core.Content, genai.Content>, { ours: never; theirs: never }>;
  // Kept unchanged on the part and sent back.
  part: Same<
    Drift<core.Part, genai.Part>,
    {
      ours: never;
      theirs:
        | 'mediaResolution'
        | 'toolCall'
        | 'toolResponse'
        | 'audioTranscription'
        | 'videoMetadata'
        | 'mediaProcessing'
        | 'speechMetadata';
    }
  >;
  // Pieces of arguments are joined; a value that is not an object becomes `brokenArgs`.
  functionCall: Same<
    Drift<core.FunctionCall, genai.FunctionCall>,
    { ours: 'brokenArgs'; theirs: 'partialArgs' | 'willContinue' }
  >;
  // Sent unchanged on the response. `willContinue` is ours and is not sent.
  functionResponse: Same<Drift<core.FunctionResponse, genai.FunctionResponse>, { ours: never; theirs: 'scheduling' }>;
  inlineData: Same<Drift<core.InlineData, genai.Blob>, { ours: never; theirs: never }>;
  fileData: Same<Drift<core.FileData, genai.FileData>, { ours: never; theirs: never }>;
  executableCode: Same<Drift<core.ExecutableCode, genai.ExecutableCode>, { ours: never; theirs: 'id' }>;
  codeExecutionResult: Same<Drift<core.CodeExecutionResult, genai.CodeExecutionResult>, { ours: never; theirs: 'id' }>;
  thinkingConfig: Same<Drift<core.ThinkingConfig, genai.ThinkingConfig>, { ours: never; theirs: never }>;
  functionDeclaration: Same<
    Drift<core.FunctionDeclaration, genai.FunctionDeclaration>,
    { ours: never; theirs: 'behavior' | 'parameters' | 'response' }
  >;
  // Gemini does not report tokens written to its cache. The keys of `theirs` are kept in
  // `customMetadata.gemini.usageMetadata`; the last one is used only by the SDK.
  usage: Same<
    Drift<core.Usage, genai.GenerateContentResponseUsageMetadata>,
    {
      ours: 'cacheCreationTokenCount';
      theirs:
        | 'cacheTokensDetails'
        | 'candidatesTokensDetails'
        | 'promptTokensDetails'
        | 'toolUsePromptTokensDetails'
        | 'trafficType'
        | 'initialPromptTokenCount';
    }
  >;
  // Available through `providerOptions.gemini`, except options of the SDK, which are rejected.
  config: Same<
    Drift<core.GenerateContentConfig, genai.GenerateContentConfig>,
    {
      ours: never;
      theirs:
        | 'serviceTier'
        | 'candidateCount'
        | 'responseLogprobs'
        | 'logprobs'
        | 'presencePenalty'
        | 'frequencyPenalty'
        | 'responseSchema'
        | 'routingConfig'
        | 'modelSelectionConfig'
        | 'responseModalities'
        | 'mediaResolution'
        | 'speechConfig'
        | 'audioTimestamp'
        | 'audioTranscriptionConfig'
        | 'imageConfig'
        | 'enableEnhancedCivicAnswers'
        | 'modelArmorConfig'
        | 'generationOutputConfig'
        | 'store'
        | RefusedOption;
    }
  >;
  // The final response uses these members or keeps them in `customMetadata.gemini.candidate`.
  candidate: Same<
    keyof genai.Candidate,
    | 'content'
    | 'citationMetadata'
    | 'finishMessage'
    | 'tokenCount'
    | 'finishReason'
    | 'groundingMetadata'
    | 'avgLogprobs'
    | 'index'
    | 'logprobsResult'
    | 'safetyRatings'
    | 'urlContextMetadata'
    | 'continuationToken'
  >;
} = {
  content: true,
  part: true,
  functionCall: true,
  functionResponse: true,
  inlineData: true,
  fileData: true,
  executableCode: true,
  codeExecutionResult: true,
  thinkingConfig: true,
  functionDeclaration: true,
  usage: true,
  config: true,
  candidate: true,
};

type RefusedOption =
  | 'httpOptions'
  | 'abortSignal'
  | 'automaticFunctionCalling'
  | 'automaticContinuation'
  | 'continuationToken';

/**
 * The SDK's members are all optional, and its JSON is `unknown`. With the needed members filled in, its types must be assignable
 * to ours.
 */
type WithRequired<T, Needed extends keyof T> = Omit<T, Needed> & { [Key in Needed]-?: NonNullable<T[Key]> };
type Json<T, Keys extends keyof T, As> = Omit<T, Keys> & { [Key in Keys]: As };
interface SdkAnswerPart {
  inlineData?: WithRequired<genai.FunctionResponseBlob, 'data' | 'mimeType'>;
  fileData?: WithRequired<genai.FunctionResponseFileData, 'fileUri'>;
}
type SdkPart = Omit<
  genai.Part,
  'functionCall' | 'functionResponse' | 'inlineData' | 'fileData' | 'executableCode' | 'partMetadata'
> & {
  functionCall?: Json<WithRequired<genai.FunctionCall, 'name' | 'args'>, 'args', core.JsonObject>;
  functionResponse?: Json<
    WithRequired<Omit<genai.FunctionResponse, 'parts'>, 'name' | 'response'>,
    'response',
    core.JsonObject
  > & { parts?: SdkAnswerPart[] };
  inlineData?: WithRequired<genai.Blob, 'data' | 'mimeType'>;
  fileData?: WithRequired<genai.FileData, 'fileUri'>;
  executableCode?: WithRequired<genai.ExecutableCode, 'code'>;
  partMetadata?: { provider: string };
};

/** The types of the SDK must be assignable to ours. */
export const partOfTheSdk = (part: SdkPart): core.Part => part;
export const contentOfTheSdk = (content: { role?: 'user' | 'model'; parts?: SdkPart[] }): core.Content => content;
export const usageOfTheSdk = (usage: genai.GenerateContentResponseUsageMetadata): core.Usage => usage;

/** Our types must be assignable to those of the SDK. */
export const partForTheSdk = (part: Defined<core.Part>): genai.Part => part;
export const contentForTheSdk = (content: Defined<core.Content>): genai.Content => content;

/** Our type without `undefined` in optional members, which the SDK does not allow, and with the SDK's enums. */
type Defined<T> = T extends (infer Each)[]
  ? Defined<Each>[]
  : T extends core.ExecutableCode
    ? genai.ExecutableCode
    : T extends object
      ? {
          [Key in keyof T]: Key extends 'codeExecutionResult'
            ? genai.CodeExecutionResult
            : Defined<Exclude<T[Key], undefined>>;
        }
      : T;
