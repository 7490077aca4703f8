import { constants } from 'node:os'
import { setTimeout } from 'node:timers/promises'

import { CommandFailure, EXIT } from '../../server/failures.ts'
import { idOf } from './action.ts'
import type { Command, Invocation, Outcome } from './action.ts'
import { RequestFailure } from './client.ts'
import type { Client } from './client.ts'

type Job = {
  readonly parameters: {
    readonly returnValue: readonly { readonly valueName: string; readonly valueUnit: string }[]
  }
}
type Run = { readonly jobId: number; readonly runId: string }
type End = {
  readonly exitCode: number
  readonly durationMs: number
  readonly lastOutput: string
  /** Resolves when the last process that writes its standard error output has closed it. */
  readonly outputEnd: Promise<void>
}

const WORDS_MAX = 10_000
const TRIES = 3
const TIMEOUT_MS = 10_000
const TOO_MANY = 429
const SERVER_FAULT = 500
const PAUSE_MS = 2_000
const ERROR_CODE_MAX = 255
/** The service stores up to 1,000 characters of a message. */
const OUTPUT_MAX_CHARACTERS = 900
/** The wait for output that a command wrote before its end. */
const OUTPUT_MAX_MS = 1_000
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
const DURATION = 'duration'
/** As shells report them: https://pubs.opengroup.org/onlinepubs/9699919799/utilities/V3_chap02.html#tag_18_08_02 */
const NOT_FOUND = 127
const NOT_EXECUTABLE = 126

/** `tidemark exec`: runs a command and delivers its exit code and its duration. */
export const execCommand: Command = {
  name: 'exec',
  about:
    'Runs a command and delivers its start, its exit code as the error code, and its duration to the value of the job\n' +
    '  that is named "duration": in milliseconds if its unit is ms, else in seconds. The message has the last lines of its\n' +
    '  standard error output. The exit code of the command is the exit code of tidemark, also when the service does not\n' +
    '  answer: the command runs in any case.',
  actions: {
    '': {
      words: '-- <command> [<argument>…]',
      count: [1, WORDS_MAX],
      options: { job: { value: 'id' }, url: { value: 'address' } },
      run: exec,
    },
  },
}

async function exec(invocation: Invocation): Promise<Outcome> {
  const job = invocation.text('job')
  if (job === undefined)
    throw new CommandFailure(EXIT.usage, 'Name the job: tidemark exec --job <id> -- <command>.')
  const run: Run = { jobId: idOf(job, 'job'), runId: crypto.randomUUID() }
  const client = invocation.client(TIMEOUT_MS)
  const start = deliver(client, run, { signal: 'start' })
  const end = await runProcess(invocation.words)
  await start
  const values = await durationValue(client, run.jobId, end.durationMs)
  const isDelivered = await deliver(client, run, {
    errorCode: Math.min(end.exitCode, ERROR_CODE_MAX),
    message: messageOf(end),
    ...values,
  })
  // A duration that the job refuses must not hide the end of the run.
  if (!isDelivered && Object.keys(values).length > 0)
    await deliver(client, run, { errorCode: Math.min(end.exitCode, ERROR_CODE_MAX), message: messageOf(end) })
  for (const signal of SIGNALS) process.removeAllListeners(signal)
  await end.outputEnd
  return { text: '', exitCode: end.exitCode }
}

async function runProcess(words: readonly string[]): Promise<End> {
  const startedAtMs = performance.now()
  const cwd = process.env['TIDEMARK_CALLED_FROM'] ?? process.cwd()
  const durationMs = () => performance.now() - startedAtMs
  let child
  try {
    child = Bun.spawn([...words], { cwd, stdin: 'inherit', stdout: 'inherit', stderr: 'pipe' })
  } catch (error) {
    const reason = (error as Error).message
    process.stderr.write(`${reason}\n`)
    const exitCode = (error as { code?: string }).code === 'EACCES' ? NOT_EXECUTABLE : NOT_FOUND
    return { exitCode, durationMs: durationMs(), lastOutput: reason, outputEnd: Promise.resolve() }
  }
  const forward = (signal: NodeJS.Signals) => child.kill(signal)
  for (const signal of SIGNALS) process.on(signal, forward)
  let lastOutput = ''
  const outputEnd = passOn(child.stderr, (text) => {
    lastOutput = (lastOutput + text).slice(-OUTPUT_MAX_CHARACTERS)
  })
  await child.exited
  const endedAfterMs = durationMs()
  // A process that the command left behind keeps the output open.
  await Promise.race([outputEnd, setTimeout(OUTPUT_MAX_MS, undefined, { ref: false })])
  // The exit code of a process that a signal ended is 128 and the signal.
  const exitCode = child.exitCode ?? 128 + signalNumber(child.signalCode)
  return { exitCode, durationMs: endedAfterMs, lastOutput, outputEnd }
}

/** Copies to standard error, and calls `onText` with each piece. */
async function passOn(stream: ReadableStream<Uint8Array>, onText: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of stream) {
    process.stderr.write(chunk)
    onText(decoder.decode(chunk, { stream: true }))
  }
}

function signalNumber(signal: NodeJS.Signals | number | null): number {
  return typeof signal === 'string' ? (constants.signals[signal] ?? 0) : (signal ?? 0)
}

function messageOf({ exitCode, durationMs, lastOutput }: End): string {
  const summary = `exit code ${exitCode} after ${(durationMs / 1000).toFixed(1)} s`
  const output = lastOutput.trim()
  return output === '' ? summary : `${summary}\n${output}`
}

/** The value of the job that is named after the duration; nothing if the job has no such value or cannot be read. */
async function durationValue(
  client: Client,
  jobId: number,
  durationMs: number,
): Promise<Record<string, number>> {
  const job = await client.read<Job>(`/jobs/${jobId}`).catch(() => null)
  const { returnValue = [] } = job?.parameters ?? {}
  const index = returnValue.findIndex(({ valueName }) => valueName.toLowerCase() === DURATION)
  if (index === -1) return {}
  return {
    [`returnValue${index + 1}`]: returnValue[index]?.valueUnit === 'ms' ? durationMs : durationMs / 1000,
  }
}

/** Delivers, with some tries. A failure is a line on standard error: the command runs without the service too. */
async function deliver(client: Client, { jobId, runId }: Run, body: object): Promise<boolean> {
  const json = JSON.stringify({ runId, ...body })
  // A repeated request whose first response was lost is stored once.
  const headers = { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }
  for (let tries = 1; ; tries++) {
    try {
      await client.json('POST', `/webcollector/jobs/${jobId}/values`, json, headers)
      return true
    } catch (error) {
      if (tries < TRIES && isTemporary(error)) {
        await Bun.sleep(PAUSE_MS)
        continue
      }
      process.stderr.write(`tidemark: not delivered: ${(error as Error).message}\n`)
      return false
    }
  }
}

function isTemporary(error: unknown): boolean {
  if (error instanceof RequestFailure) return error.status === TOO_MANY || error.status >= SERVER_FAULT
  return error instanceof CommandFailure
}
