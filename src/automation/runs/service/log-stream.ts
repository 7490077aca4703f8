import type { Context } from '../../../context.ts'
import { streamOf } from '../../../lib/chunks.ts'
import { Refusal } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import type { TimeFormat } from '../../../lib/time.ts'
import { frameOf, heartbeatOf, retryOf } from '../../../http/server-sent-events.ts'
import type { Ports } from '../../../ports/index.ts'
import { hasEnded } from '../run.ts'
import * as store from '../store.ts'
import type { RunRow } from '../store.ts'
import { readLog } from '../store/log.ts'
import { readJob } from './order-run.ts'

const LOOK_MS = 1_000
const LINES_AT_ONCE = 200
/** After so many looks a stream ends, and its reader comes back: at the edge a request has a thousand calls of others. */
const LOOKS_MAX = 300
/** The rights of a reader are checked once in so many looks. */
const ADMITTED_LOOKS = 5
const QUIET_LOOKS = 15
const RETRY_MS = 2_000
const FOLLOWERS_MAX = 200
/** A reader without progress for this long has left: not every host reports it. */
const GONE_MS = 60_000

/** The time of the last read of each follower of a log in this process or isolate. */
const followers = new Map<object, number>()

export type Following = {
  /** Lines after this one. */
  readonly offset: number
  /** The caller by the same credentials now. @throws {Refusal} once they are no longer valid */
  readonly again: () => Promise<Context>
}

/** The log of a run, live until it has ended: `line` for each line, with its number as its id; `job` when its state
 * or progress changes; `end` last. @throws {Refusal} not_found, overloaded when 200 follow already */
export async function followLog(
  context: Context,
  { scriptId, id }: { readonly scriptId: number; readonly id: string },
  following: Following,
): Promise<ReadableStream<Uint8Array>> {
  await readJob(context, scriptId, id)
  return streamLog(context, id, following)
}

/** The log of a run that was read before, as `followLog`. @throws {Refusal} overloaded when 200 follow already */
export function streamLog(context: Context, id: string, following: Following): ReadableStream<Uint8Array> {
  const now = context.ports.clock.now()
  // After the clock was set back, earlier times are meaningless.
  for (const [place, seenAt] of followers) if (Math.abs(now - seenAt) > GONE_MS) followers.delete(place)
  if (followers.size >= FOLLOWERS_MAX)
    throw new Refusal('overloaded', 'Too many log streams are open. Try again later.')
  return streamOf(follow(context, id, following))
}

async function* follow(context: Context, id: string, following: Following): AsyncGenerator<Uint8Array, void> {
  const { clock } = context.ports
  const reader = new LogReader(context.ports, id, following.offset)
  try {
    yield retryOf(RETRY_MS)
    for (let looks = 0; looks < LOOKS_MAX; looks++) {
      followers.set(reader, clock.now())
      if (looks % ADMITTED_LOOKS === 0 && !(await isAdmitted(following.again))) return
      const { frames, goesOn } = await reader.look()
      yield* frames
      if (goesOn === 'never') return
      if (goesOn === 'later') await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  } finally {
    followers.delete(reader)
  }
}

type LogSlice = { readonly frames: readonly Uint8Array[]; readonly goesOn: 'at once' | 'later' | 'never' }

/** A reader that polls a log. */
class LogReader {
  readonly #ports: Ports
  readonly #id: string
  readonly #format: TimeFormat
  #line: number
  #told = ''
  #quiet = 0

  constructor(ports: Ports, id: string, afterLine: number) {
    this.#ports = ports
    this.#id = id
    this.#format = timeFormat(ports.settings.timeZone)
    this.#line = afterLine
  }

  /** The new lines since the last read. */
  async look(): Promise<LogSlice> {
    const { database } = this.#ports
    // The run is read first: a run that has ended then writes no further lines.
    const row = await store.findRun(database, this.#id)
    if (!row) return { frames: [], goesOn: 'never' }
    const lines = await readLog(database, { runId: this.#id, afterLine: this.#line, limit: LINES_AT_ONCE })
    const frames = lines.map(({ line: n, at, stream, text }) =>
      frameOf(String(n), 'line', { n, at: this.#format(at), stream, text }),
    )
    this.#line = lines.at(-1)?.line ?? this.#line
    const isAll = lines.length < LINES_AT_ONCE
    const isOver = isAll && hasEnded(row.state)
    frames.push(...this.#tell(row, isOver), ...this.#beat(frames.length))
    if (isOver) return { frames, goesOn: 'never' }
    return { frames, goesOn: isAll ? 'later' : 'at once' }
  }

  /** The state of the run, where it differs from the one that was sent last. */
  #tell(row: RunRow, isOver: boolean): Uint8Array[] {
    const state = JSON.stringify(stateOf(row))
    if (state === this.#told && !isOver) return []
    this.#told = state
    this.#quiet = 0
    return [frameOf(String(this.#line), isOver ? 'end' : 'job', stateOf(row))]
  }

  #beat(lines: number): Uint8Array[] {
    this.#quiet = lines > 0 ? 0 : this.#quiet + 1
    return this.#quiet > 0 && this.#quiet % QUIET_LOOKS === 0 ? [heartbeatOf(String(this.#line))] : []
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
