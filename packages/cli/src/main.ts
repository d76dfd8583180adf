#!/usr/bin/env node
import process from 'node:process';
import { systemRuntime } from '@thole/core';
import { main } from './program.ts';

// Whoever read the output may leave before it ends, as `head` does: that is no failure.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

process.exitCode = await main();
// What an agent has left open would hold the process for ever; this timer itself does not.
systemRuntime().timer(1_000, () => process.exit());
