#!/usr/bin/env node
import process from 'node:process';
import { systemRuntime } from '@thole/core';
import { main } from './program.ts';

// A program such as `head` may close the pipe before the output ends. That is not a failure.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

process.exitCode = await main();
// Ends the process even if an agent has open handles. The timer itself does not keep the process running.
systemRuntime().timer(1_000, () => process.exit());
