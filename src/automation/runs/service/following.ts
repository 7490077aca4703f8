import type { Context } from '../../../context.ts'
import { streamOf } from '../../../lib/chunks.ts'
import { Refusal } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import { frameOf, heartbeatOf, retryOf } from '../../../monitoring/events/window.ts'
import { hasEnded } from '../run.ts'
import * as store from '../store.ts'
import type { RunRow } from '../store.ts'
import { readLog } from '../store/log.ts'
import { readJob } from './ordering.ts'

const LOOK_MS = 1_000
const LINES_AT_ONCE = 200
/** After so many looks a stream ends, and its reader comes back: at the edge a request has a thousand calls of others. */
const LOOKS_MAX = 300
/** So often it is looked who reads. */
const ADMITTED_LOOKS = 5
const QUIET_LOOKS = 15
const RETRY_MS = 2_000
const FOLLOWERS_MAX = 200
/** Who has not looked for so long reads no more: not every host says so. */
const GONE_MS = 60_000

/** When each that follows a log in this process or isolate has looked last. */
const followers = new Map<object, number>()

export type Following = {
  /** Lines after this one. */
  readonly offset: number
  /** Who asks, by the same credentials, now. @throws {Refusal} once they no longer hold */
  readonly again: () => Promise<Context>
}

/** What a run says, as it says it, until it has ended: `line` for each line, with its number as its id; `job` when its state
 * or progress changes; `end` last. @throws {Refusal} not_found, overloaded when 200 follow already */
export async function followLog(
  context: Context,
  { scriptId, id }: { readonly scriptId: number; readonly id: string },
  following: Following,
): Promise<ReadableStream<Uint8Array>> {
  await readJob(context, scriptId, id)
  const now = context.ports.clock.now()
  for (const [place, seenAt] of followers) if (now - seenAt > GONE_MS) followers.delete(place)
  if (followers.size >= FOLLOWERS_MAX)
    throw new Refusal('overloaded', 'Too many follow logs. Come back later.')
  return streamOf(follow(context, id, following))
}

async function* follow(
  context: Context,
  id: string,
  { offset, again }: Following,
): AsyncGenerator<Uint8Array, void> {
  const { ports } = context
  const format = timeFormat(ports.settings.timeZone)
  const place = {}
  let line = offset
  let told = ''
  let quiet = 0
  try {
    yield retryOf(RETRY_MS)
    for (let looks = 0; looks < LOOKS_MAX; looks++) {
      followers.set(place, ports.clock.now())
      if (looks % ADMITTED_LOOKS === 0 && !(await isAdmitted(again))) return
      // The run first: what has ended then says nothing more.
      const row = await store.findRun(ports.database, id)
      if (!row) return
      const lines = await readLog(ports.database, { runId: id, afterLine: line, limit: LINES_AT_ONCE })
      for (const { line: n, at, stream, text } of lines)
        yield frameOf(String((line = n)), 'line', { n, at: format(at), stream, text })
      const state = JSON.stringify(stateOf(row))
      const isOver = hasEnded(row.state) && lines.length < LINES_AT_ONCE
      if (state !== told || isOver) yield frameOf(String(line), isOver ? 'end' : 'job', stateOf(row))
      if (isOver) return
      quiet = lines.length > 0 || state !== told ? 0 : quiet + 1
      told = state
      if (quiet > 0 && quiet % QUIET_LOOKS === 0) yield heartbeatOf(String(line))
      if (lines.length < LINES_AT_ONCE) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  } finally {
    followers.delete(place)
  }
}

async function isAdmitted(again: Following['again']): Promise<boolean> {
  try {
    await again()
    return true
  } catch (error) {
    if (error instanceof Refusal && (error.code === 'unauthenticated' || error.code === 'forbidden'))
      return false
    throw error
  }
}

function stateOf({ state, attempt, exitCode, progress, progressMessage, logLines, error }: RunRow) {
  return {
    state,
    attempt,
    exitCode,
    progress: { value: progress, message: progressMessage },
    logLines,
    error,
  }
}
