import { serviceAction } from './action.ts'
import type { Command, Invocation, Outcome } from './action.ts'
import type { Client } from './client.ts'
import { outcome, table } from './printing.ts'

type Script = {
  readonly id: number
  readonly name: string
  readonly runner: string | null
  readonly lastRun: { readonly state: string } | null
}
type Run = {
  readonly id: string
  readonly scriptId: number
  readonly state: string
  readonly queuedAt: string
  readonly durationMs: number | null
  readonly exitCode: number | null
  readonly error: string | null
}
type Log = {
  readonly completed: boolean
  readonly lines: readonly { readonly n: number; readonly stream: string; readonly text: string }[]
}

const WORDS_MAX = 200
const PAGE_MAX = 1_000
const ASK_EVERY_MS = 500
const ENDED = new Set(['succeeded', 'failed', 'timed_out', 'cancelled', 'lost'])

/** `tidemark script`: lists and runs scripts, and follows their logs. */
export const scriptCommand: Command = {
  name: 'script',
  about:
    'Lists and runs scripts, named by id or name. `run` prints the log until the run ends; its exit code is the exit code\n' +
    '  of the script, or 1 if the script did not end by itself. --no-wait returns at once. `runs` has the latest 50 runs.',
  actions: {
    list: serviceAction({ words: '', count: [0, 0], options: {}, run: list }),
    run: serviceAction({
      words: '<script> [-- <argument>…]',
      count: [1, WORDS_MAX],
      options: { configuration: { value: 'id' }, 'no-wait': { value: null } },
      run,
    }),
    runs: serviceAction({ words: '<script>', count: [1, 1], options: {}, run: runs }),
    log: serviceAction({ words: '<script> <run>', count: [2, 2], options: {}, run: log }),
    cancel: serviceAction({ words: '<script> <run>', count: [2, 2], options: {}, run: cancel }),
  },
}

async function list(invocation: Invocation): Promise<Outcome> {
  return outcome(invocation, await invocation.client().readPages<Script>('/scripts', PAGE_MAX), (scripts) =>
    table(
      ['ID', 'NAME', 'RUNNER', 'LAST RUN'],
      scripts.map(({ id, name, runner, lastRun }) => [id, name, runner, lastRun?.state]),
      'There are no scripts.',
    ),
  )
}

async function run(invocation: Invocation): Promise<Outcome> {
  const [script = '', ...args] = invocation.words
  const configuration = invocation.text('configuration')
  const client = invocation.client()
  const body = {
    ...(configuration === undefined ? {} : { runConfigurationId: Number(configuration) }),
    ...(args.length === 0 ? {} : { arguments: args }),
  }
  const path = `/scripts/${encodeURIComponent(script)}`
  const ordered = await client.json<Run>('POST', `${path}/run`, JSON.stringify(body))
  if (invocation.isSet('no-wait')) return outcome(invocation, ordered, ({ id }) => `Run ${id} is queued.\n`)
  const ended = await follow(client, `${path}/jobs/${ordered.id}`, !invocation.wantsJson)
  const text = outcome(invocation, ended, runLine)
  return { ...text, exitCode: ended.state === 'succeeded' ? 0 : (ended.exitCode ?? 1) || 1 }
}

/** Prints the log of a run as it comes. @returns the run when it has ended */
async function follow(client: Client, path: string, isPrinting: boolean): Promise<Run> {
  let offset = 0
  for (;;) {
    const state = await client.read<Run>(path)
    const page = await client.read<Log>(`${path}/log?offset=${offset}`)
    if (isPrinting) printLines(page)
    offset = page.lines.at(-1)?.n ?? offset
    if (ENDED.has(state.state) && page.lines.length === 0) return state
    if (page.lines.length === 0) await Bun.sleep(ASK_EVERY_MS)
  }
}

function printLines({ lines }: Log): void {
  for (const { stream, text } of lines)
    (stream === 'stdout' ? process.stdout : process.stderr).write(`${text}\n`)
}

function runLine({ id, state, durationMs, exitCode, error }: Run): string {
  const duration = durationMs === null ? '' : ` after ${(durationMs / 1000).toFixed(1)} s`
  const code = exitCode === null ? '' : `, exit code ${exitCode}`
  return `Run ${id}: ${state}${duration}${code}${error === null ? '' : `. ${error}`}\n`
}

async function runs(invocation: Invocation): Promise<Outcome> {
  const path = `/scripts/${encodeURIComponent(invocation.words[0] ?? '')}/jobs`
  return outcome(invocation, await invocation.client().read<readonly Run[]>(path), (all) =>
    table(
      ['ID', 'STATE', 'QUEUED', 'SECONDS', 'EXIT'],
      all.map(({ id, state, queuedAt, durationMs, exitCode }) => [
        id,
        state,
        queuedAt,
        durationMs === null ? null : (durationMs / 1000).toFixed(1),
        exitCode,
      ]),
      'The script has no runs.',
    ),
  )
}

async function log(invocation: Invocation): Promise<Outcome> {
  const client = invocation.client()
  const ended = await follow(client, runPath(invocation), !invocation.wantsJson)
  return invocation.wantsJson ? outcome(invocation, ended, runLine) : { text: '' }
}

async function cancel(invocation: Invocation): Promise<Outcome> {
  const cancelled = await invocation.client().json<Run>('POST', `${runPath(invocation)}/cancel`, '{}')
  return outcome(invocation, cancelled, ({ id }) => `The cancellation of run ${id} is requested.\n`)
}

function runPath({ words }: Invocation): string {
  const [script = '', id = ''] = words
  return `/scripts/${encodeURIComponent(script)}/jobs/${encodeURIComponent(id)}`
}
