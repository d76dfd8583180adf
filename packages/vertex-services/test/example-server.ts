// Simulates Google Cloud for the first program of the README and prints the environment variables to set, as one line of JSON.
// It also issues credentials, like the metadata server of a machine in Google Cloud. Runs until it is stopped.
import { GoogleServer } from './google-server/google-server.ts';

const { url } = await GoogleServer.start();
console.log(
  JSON.stringify({
    GOOGLE_CLOUD_PROJECT: 'hotel',
    GOOGLE_CLOUD_LOCATION: 'us-central1',
    GOOGLE_VERTEX_BASE_URL: url,
    GOOGLE_APPLICATION_CREDENTIALS: '',
    CLOUDSDK_CONFIG: '/nonexistent',
    GCE_METADATA_HOST: new URL(url).host,
    METADATA_SERVER_DETECTION: 'assume-present',
  }),
);
