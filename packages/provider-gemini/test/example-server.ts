// A local Gemini server for programs that run without a key. Prints the environment variables to set as one line of JSON, and
// serves until it is killed.
import { startGeminiServer } from './gemini-server.ts';

const { url } = await startGeminiServer();
console.log(JSON.stringify({ GEMINI_API_KEY: 'local', GOOGLE_GEMINI_BASE_URL: url }));
