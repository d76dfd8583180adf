#!/usr/bin/env node
import process from 'node:process';
import { systemRuntime } from '@thole/core';
import { explainNodeVersion } from './explain-node-version.ts';
import { main } from './program.ts';

// A program such as `head` may close the pipe before the output ends. That is not a failure.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const error = explainNodeVersion(process.versions.node);
if (error !== undefined) console.error(`error: ${error}`);
process.exitCode = error === undefined ? await main() : 1;
// Ends the process even if an agent has open handles. The timer itself does not keep the process running.
systemRuntime().timer(1_000, () => process.exit());
