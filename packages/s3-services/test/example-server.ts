// Simulates S3 for the first program of the README and prints the environment variables to set, as one line of JSON. Runs
// until it is stopped.
import { S3Server } from './s3-server.ts';

const { url } = await S3Server.start();
console.log(
  JSON.stringify({
    S3_ENDPOINT: url,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIATEST',
    AWS_SECRET_ACCESS_KEY: 'secret',
  }),
);
