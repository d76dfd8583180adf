import type { Json, JsonObject } from '@thole/core';
import { HashEmbedder, llmScenarios } from '@thole/testing';
import type { LlmScenario } from '@thole/testing';
import { ProtocolServer, serverSentEvents } from '@thole/testing/http';
import type { ReceivedRequest, ServerAnswer } from '@thole/testing/http';

/**
 * Starts a local server with Gemini's methods `generateContent`, `streamGenerateContent` and `batchEmbedContents`, and Vertex
 * AI's methods for embeddings. A model named `gemini-<scenario>` plays that scenario, other models play the scenario `text`.
 */
export function startGeminiServer(): Promise<ProtocolServer> {
  return ProtocolServer.start(answerAsGemini);
}

/** Returns the answer of the Gemini server to a request. */
export async function answerAsGemini(request: ReceivedRequest): Promise<ServerAnswer> {
  const [, model, method] = /([^/]+):(\w+)(?:\?|$)/.exec(decodeURIComponent(request.path)) ?? [];
  const body = request.body as JsonObject;
  if (method === 'batchEmbedContents') return json(200, await embeddings(body));
  if (method === 'predict') return json(200, await predictions(body));
  if (method === 'embedContent') return json(200, await embedding(body));
  const name = (model ?? '').replace(/^gemini-/, '');
  const scenario: LlmScenario = Object.hasOwn(llmScenarios, name)
    ? llmScenarios[name as keyof typeof llmScenarios]
    : llmScenarios.text;
  if (method === 'generateContent') return playComplete(scenario);
  if (method === 'streamGenerateContent') return playStreamed(scenario);
  return json(404, refusal(404, 'NOT_FOUND', 'Requested entity was not found.'));
}

/** Returns the chunks of a scenario's answer. The last chunk has the finish reason. */
export function piecesOf(scenario: LlmScenario): JsonObject[] {
  if (scenario.ending === 'blocked')
    return [{ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, ...metadataOf(0) }];
  const parts: JsonObject[] = [
    ...(scenario.thoughts ?? []).map((text) => ({ text, thought: true })),
    ...(scenario.pieces ?? []).map((text) => ({ text })),
    ...(scenario.calls ?? []).map(({ id, name, args }, i) => ({
      functionCall: { id, name, args },
      ...(i === 0 && { thoughtSignature: scenario.encryptedReasoning ?? 'CpcBAdHtim9Dummy/+w==' }),
    })),
  ];
  const pieces = parts.map((part, i) => piece([part], undefined, i + 1, scenario));
  const finishReason = { stop: 'STOP', 'max-tokens': 'MAX_TOKENS' }[scenario.ending as 'stop' | 'max-tokens'];
  if (finishReason) pieces.push(piece([], finishReason, parts.length, scenario));
  return pieces;
}

function playStreamed(scenario: LlmScenario): ServerAnswer {
  if (scenario.error) return refuse(scenario);
  const pieces = piecesOf(scenario);
  if (scenario.ending === 'silence' && pieces.length === 0) return { ending: 'silence' };
  return {
    headers: { 'content-type': 'text/event-stream' },
    body: serverSentEvents(
      pieces.map((data) => ({ data })),
      '\r\n',
    ),
    ending: endingOf(scenario),
  };
}

function playComplete(scenario: LlmScenario): ServerAnswer {
  if (scenario.error) return refuse(scenario);
  if (scenario.ending === 'silence') return { ending: 'silence' };
  const pieces = piecesOf(scenario);
  if (scenario.ending === 'blocked') return json(200, pieces[0]!);
  if (scenario.ending === 'cut') return { body: ['{"candidates": [{"content": '], ending: 'cut' };
  const last = pieces.at(-1)!;
  const parts = pieces.flatMap((each) => partsIn(each));
  return json(200, { ...last, candidates: [{ ...candidateIn(last), content: { parts, role: 'model' } }] });
}

function endingOf(scenario: LlmScenario): ServerAnswer['ending'] {
  return scenario.ending === 'cut' || scenario.ending === 'silence' ? scenario.ending : 'end';
}

/** Codes and format: https://ai.google.dev/gemini-api/docs/troubleshooting and https://google.aip.dev/193. */
function refuse(scenario: LlmScenario): ServerAnswer {
  switch (scenario.error?.code) {
    case 'MODEL_RATE_LIMITED':
      return json(
        429,
        refusal(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).', [
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2s' },
        ]),
      );
    case 'MODEL_OVERLOADED':
      return json(503, refusal(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'));
    case 'MODEL_AUTH':
      return json(
        400,
        refusal(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
          { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
        ]),
      );
    case 'MODEL_CONTEXT_TOO_LONG':
      return json(
        400,
        refusal(
          400,
          'INVALID_ARGUMENT',
          'The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).',
        ),
      );
    default:
      return json(400, refusal(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.'));
  }
}

/** Returns an error in Google's format. */
export function refusal(code: number, status: string, message: string, details: Json[] = []): JsonObject {
  return { error: { code, message, status, ...(details.length > 0 && { details }) } };
}

export function json(status: number, body: Json): ServerAnswer {
  return { status, body: JSON.stringify(body) };
}

function piece(
  parts: JsonObject[],
  finishReason: string | undefined,
  tokens: number,
  { usage }: LlmScenario,
): JsonObject {
  const content: JsonObject = { ...(parts.length > 0 && { parts }), role: 'model' };
  return { candidates: [{ content, ...(finishReason && { finishReason }), index: 0 }], ...metadataOf(tokens, usage) };
}

function metadataOf(candidatesTokenCount: number, usage?: LlmScenario['usage']): JsonObject {
  return {
    usageMetadata: {
      promptTokenCount: 11,
      ...(candidatesTokenCount > 0 && { candidatesTokenCount }),
      totalTokenCount: 11 + candidatesTokenCount,
      ...usage,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 11 }],
    },
    modelVersion: 'gemini-local',
    responseId: 'local-1',
  };
}

function candidateIn(each: JsonObject): JsonObject {
  return (each['candidates'] as JsonObject[])[0]!;
}

function partsIn(each: JsonObject): Json[] {
  return ((candidateIn(each)['content'] as JsonObject)['parts'] as Json[] | undefined) ?? [];
}

async function embeddings(body: JsonObject): Promise<JsonObject> {
  const requests = body['requests'] as { content: { parts: { text: string }[] }; outputDimensionality?: number }[];
  const texts = requests.map(({ content }) => content.parts.map(({ text }) => text).join(''));
  const vectors = await vectorsOf(texts, requests[0]?.outputDimensionality);
  return { embeddings: vectors.map((values) => ({ values })) };
}

async function embedding(body: JsonObject): Promise<JsonObject> {
  const { parts } = body['content'] as { parts: { text: string }[] };
  const { outputDimensionality } = (body['embedContentConfig'] ?? {}) as { outputDimensionality?: number };
  const [values] = await vectorsOf([parts.map(({ text }) => text).join('')], outputDimensionality);
  return { embedding: { values: values! }, usageMetadata: { promptTokenCount: 3 } };
}

async function predictions(body: JsonObject): Promise<JsonObject> {
  const instances = body['instances'] as { content: string }[];
  const { outputDimensionality } = (body['parameters'] ?? {}) as { outputDimensionality?: number };
  const vectors = await vectorsOf(
    instances.map(({ content }) => content),
    outputDimensionality,
  );
  return {
    predictions: vectors.map((values) => ({
      embeddings: { values, statistics: { truncated: false, token_count: 3 } },
    })),
  };
}

async function vectorsOf(texts: readonly string[], dimensions = 3072): Promise<number[][]> {
  const embedder = new HashEmbedder({ dimensions, maxBatch: 1000 });
  return (await embedder.embed(texts, { task: 'document' })).map((vector) => [...vector]);
}
