import { runReports } from './runs-reports.ts'
import { ABOUT, RUNNER_TOKEN } from '../runs/fake-runner.ts'
import { runFailures } from './runs-failures.ts'
import { runForms } from './runs-forms.ts'
import { runLives } from './runs-lives.ts'
import { runLogs } from './runs-logs.ts'
import { runOrders } from './runs-orders.ts'
import { order, scriptOf } from './runs-stage.ts'
import { good, once, table } from './suite.ts'
import type { Row, Suite } from './suite.ts'

const NOWHERE = 'j_00000000000000000000000000'
const JSON_TYPE = { 'content-type': 'application/json' }

const stage = once(async (client) => {
  const script = await scriptOf(client)
  const { id: job } = await order(client, script)
  await good(client.request('POST', `/scripts/${script}/jobs/${job}/cancel`))
  const bare = await good<{ id: number }>(
    client.request('POST', '/scripts', { json: { name: 'nothing runs' } }),
  )
  return { script, job, bare: bare.id }
})

const READS = [
  'GET /scripts/{script}/jobs',
  'GET /scripts/{script}/jobs/status',
  'GET /scripts/{script}/jobs/{job}',
  'GET /scripts/{script}/jobs/{job}/log',
]

const refusals: readonly Row[] = [
  ...[...READS, 'POST /scripts/{script}/run', 'GET /runners', 'DELETE /scripts/{script}/jobs'].map(
    (line): Row => ({
      title: 'a request without credentials',
      call: line,
      as: null,
      answers: 'unauthenticated',
    }),
  ),
  ...(['collector', 'dashboard_viewer'] as const).flatMap((as): Row[] =>
    [
      ...READS,
      'POST /scripts/{script}/run',
      'POST /scripts/{script}/jobs/{job}/cancel',
      'POST /scripts/{script}/jobs/{job}/rerun',
      'DELETE /scripts/{script}/jobs/{job}',
    ].map((line) => ({ title: as, call: line, as, answers: 'forbidden' })),
  ),
  ...(['editor', 'Data_Editor'] as const).flatMap((as): Row[] => [
    ...READS.map((line): Row => ({ title: as, call: line, as, answers: 200 })),
    { title: as, call: 'GET /runners', as, answers: 'forbidden' },
    { title: as, call: 'DELETE /runners/1', as, answers: 'forbidden' },
  ]),
  ...(['editor', 'Data_Editor'] as const).flatMap((as): Row[] => [
    { title: as, call: 'DELETE /scripts/{script}/jobs', as, answers: 'forbidden' },
    { title: as, call: 'DELETE /scripts/{script}/jobs/{job}', as, answers: 'forbidden' },
  ]),
  {
    title: 'an editor',
    call: 'POST /scripts/{script}/jobs/{job}/cancel',
    as: 'editor',
    answers: 'forbidden',
  },
  {
    title: 'Data_Editor, of what has ended',
    call: 'POST /scripts/{script}/jobs/{job}/cancel',
    as: 'Data_Editor',
    answers: 'conflict',
  },
  { title: 'no script', call: 'POST /scripts/999999/run', json: {}, answers: 'not_found' },
  { title: 'no script', call: 'GET /scripts/999999/jobs', answers: 'not_found' },
  { title: 'nothing that runs', call: 'POST /scripts/{bare}/run', json: {}, answers: 'no_runner' },
  {
    title: 'a configuration of nobody',
    call: 'POST /scripts/{script}/run',
    json: { runConfigurationId: 999_999 },
    answers: 'not_found',
  },
  {
    title: 'an unknown field',
    call: 'POST /scripts/{script}/run',
    json: { runs: 1 },
    answers: 'invalid',
    pointers: ['/runs'],
  },
  {
    title: 'no JSON',
    call: 'POST /scripts/{script}/run',
    text: '{',
    headers: JSON_TYPE,
    answers: 'malformed_json',
  },
  {
    title: 'another type',
    call: 'POST /scripts/{script}/run',
    text: 'x',
    headers: { 'content-type': 'text/plain' },
    answers: 'unsupported_media_type',
  },
  {
    title: 'too many arguments',
    call: 'POST /scripts/{script}/run',
    json: { arguments: Array.from({ length: 101 }, () => 'x') },
    answers: 'invalid',
    pointers: ['/arguments'],
  },
  {
    title: 'too many parameters',
    call: 'POST /scripts/{script}/run',
    json: { parameters: { x: 'x'.repeat(65_536) } },
    answers: 'invalid',
    pointers: ['/parameters'],
  },
  {
    title: 'a key that is none',
    call: 'POST /scripts/{script}/run',
    json: {},
    headers: { 'idempotency-key': 'x'.repeat(256) },
    answers: 'bad_request',
  },
  ...[
    ['limit=0', '?limit'],
    ['limit=101', '?limit'],
    ['state=odd', '?state'],
    ['before=x', '?before'],
  ].map(([query, pointer]): Row => ({
    title: 'a query',
    call: `GET /scripts/{script}/jobs?${query}`,
    answers: 'invalid',
    pointers: [pointer ?? ''],
  })),
  { title: 'the largest page', call: 'GET /scripts/{script}/jobs?limit=100', answers: 200 },
  { title: 'none of each', call: 'GET /scripts/{script}/jobs/status?maxCount=0', answers: 'invalid' },
  { title: 'many of each', call: 'GET /scripts/{script}/jobs/status?maxCount=100', answers: 200 },
  { title: 'too many of each', call: 'GET /scripts/{script}/jobs/status?maxCount=101', answers: 'invalid' },
  { title: 'many lines', call: 'GET /scripts/{script}/jobs/{job}/log?limit=1000', answers: 200 },
  { title: 'too many lines', call: 'GET /scripts/{script}/jobs/{job}/log?limit=1001', answers: 'invalid' },
  ...['', '/log', '/outputs/x'].map((what): Row => ({
    title: 'no job',
    call: `GET /scripts/{script}/jobs/${NOWHERE}${what}`,
    answers: 'not_found',
  })),
  { title: 'the job of another script', call: 'GET /scripts/{bare}/jobs/{job}', answers: 'not_found' },
  { title: 'no output', call: 'GET /scripts/{script}/jobs/{job}/outputs/x', answers: 'not_found' },
  { title: 'what has ended', call: 'POST /scripts/{script}/jobs/{job}/cancel', answers: 'conflict' },
  { title: 'no runner', call: 'DELETE /runners/999999', answers: 'not_found' },
  ...['accept', 'start', 'finish'].map((what): Row => ({
    title: 'a request without credentials',
    call: `PUT /runner/v1/jobs/{job}/${what}`,
    json:
      { start: { isolation: 'full' }, finish: { outcome: 'failed', exitCode: 1, error: null, logLines: 0 } }[
        what
      ] ?? {},
    as: null,
    answers: 'unauthenticated',
  })),
  {
    title: 'a session in place of a runner',
    call: 'POST /runner/v1/poll',
    json: { free: 1, running: [] },
    answers: 'unauthenticated',
  },
  ...[
    ['another token', `${RUNNER_TOKEN}x`],
    ['no token', ''],
  ].map(([title = '', token]): Row => ({
    title,
    call: 'POST /runner/v1/register',
    json: ABOUT,
    as: null,
    headers: { authorization: `Bearer ${token}` },
    answers: 'unauthenticated',
  })),
]

export const runsSuite: Suite = {
  name: 'runs',
  scenarios: [
    ...table(stage, refusals),
    ...runOrders,
    ...runLives,
    ...runLogs,
    ...runFailures,
    ...runForms,
    ...runReports,
  ],
}
