// Types only: `tsc` reports differences between the shapes of @google/genai and ours. A member that the SDK gains or loses
// is an error here until a decision about it is made.
import type * as genai from '@google/genai';
import type * as core from '@thole/core';

/** Fails to compile unless the two are the same. */
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : never) : never;

/** Keys of ours that the SDK has not, and keys of the SDK that ours has not: each has to be listed. */
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
  // Gemini does not report tokens written to its cache. Theirs are kept in `customMetadata.gemini.usageMetadata`; the last
  // is the SDK's own.
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
  // What a final is made of, or keeps in `customMetadata.gemini.candidate`.
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
 * The SDK lets every member be missing where ours need some, and types JSON as `unknown`: what it makes, with those filled in,
 * is ours. Everything else is assigned as it is.
 */
type Filled<T, Needed extends keyof T> = Omit<T, Needed> & { [Key in Needed]-?: NonNullable<T[Key]> };
type Json<T, Keys extends keyof T, As> = Omit<T, Keys> & { [Key in Keys]: As };
interface GivenAnswerPart {
  inlineData?: Filled<genai.FunctionResponseBlob, 'data' | 'mimeType'>;
  fileData?: Filled<genai.FunctionResponseFileData, 'fileUri'>;
}
type GivenPart = Omit<
  genai.Part,
  'functionCall' | 'functionResponse' | 'inlineData' | 'fileData' | 'executableCode' | 'partMetadata'
> & {
  functionCall?: Json<Filled<genai.FunctionCall, 'name' | 'args'>, 'args', core.JsonObject>;
  functionResponse?: Json<
    Filled<Omit<genai.FunctionResponse, 'parts'>, 'name' | 'response'>,
    'response',
    core.JsonObject
  > & { parts?: GivenAnswerPart[] };
  inlineData?: Filled<genai.Blob, 'data' | 'mimeType'>;
  fileData?: Filled<genai.FileData, 'fileUri'>;
  executableCode?: Filled<genai.ExecutableCode, 'code'>;
  partMetadata?: { provider: string };
};

export const partOfTheSdk = (part: GivenPart): core.Part => part;
export const contentOfTheSdk = (content: { role?: 'user' | 'model'; parts?: GivenPart[] }): core.Content => content;
export const usageOfTheSdk = (usage: genai.GenerateContentResponseUsageMetadata): core.Usage => usage;

/** And the other way: what ours hold, the SDK takes. */
export const partForTheSdk = (part: Defined<core.Part>): genai.Part => part;
export const contentForTheSdk = (content: Defined<core.Content>): genai.Content => content;

/** Without the `undefined` that ours allow on every optional member, where the SDK's types do not. Words are its own enums. */
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
