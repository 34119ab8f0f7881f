import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { programsOf, runnable } from '../support/pages.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** A program that traces calls by the recipe of the page, and prints its spans. */
const PROGRAM = `
  import { context, trace } from '@opentelemetry/api';
  import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
  import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  await import('./recipe.mjs');
  const { createTools } = await import('agent-bash/tools');

  const toolset = createTools('bash', { env: { SECRET: 'in the environment' } });
  await trace.getTracer('test').startActiveSpan('turn', async (parent) => {
    await Promise.all([
      toolset.call('bash', { command: 'echo "$SECRET"' }, { callId: 'call-1' }),
      toolset.call('bash', { command: 'exit 3' }, { callId: 'call-2' }),
    ]);
    parent.end();
  });
  await toolset.dispose();
  const spans = exporter.getFinishedSpans().map((span) => ({
    name: span.name,
    id: span.spanContext().spanId,
    parent: span.parentSpanContext?.spanId,
    attributes: span.attributes,
    status: span.status,
    isWhole: span.ended,
  }));
  console.log(JSON.stringify(spans));
`;

it("the recipe for OpenTelemetry makes a span of each command, below its caller's", async () => {
  const recipe = programsOf('docs/sdks.md').find(({ source }) => source.includes('@opentelemetry/api'));
  expect(recipe?.source.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
  const directory = mkdtempSync(join(HERE, 'node_modules/.tracing-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, 'recipe.mjs'), recipe ? runnable(recipe) : '');
  writeFileSync(join(directory, 'program.mjs'), PROGRAM);
  const { stdout } = await promisify(execFile)(process.execPath, ['program.mjs'], { cwd: directory });
  // biome-ignore lint/suspicious/noExplicitAny: the program's own JSON.
  const spans: any[] = JSON.parse(stdout);
  const turn = spans.find(({ name }) => name === 'turn');
  const commands = spans.filter((span) => span !== turn);
  expect(commands).toHaveLength(2);
  for (const { parent, isWhole } of commands) expect([parent, isWhole]).toEqual([turn.id, true]);
  const [echo, exit] = ['call-1', 'call-2'].map((id) =>
    commands.find(({ attributes }) => attributes['gen_ai.tool.call.id'] === id),
  );
  expect(echo).toMatchObject({
    attributes: {
      'process.command_line': 'echo "$SECRET"',
      'process.pid': expect.any(Number),
      'process.exit.code': 0,
      'gen_ai.tool.name': 'bash',
    },
    status: { code: 0 },
  });
  expect(exit).toMatchObject({ attributes: { 'process.exit.code': 3 }, status: { code: 2 } });
  expect(stdout).not.toContain('in the environment');
});
