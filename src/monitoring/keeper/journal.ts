import type { Delivery, Rules, Value } from '../../ports/job-actors.ts'
import type { Event } from '../jobs/actor.ts'

/** What the journal remembers of one accepted event. `jobId` 0 stands for all jobs. */
export type Entry = {
  readonly jobId: number
  readonly at: number
  readonly event: Event | { readonly kind: 'forget' }
}

/** The JSON text of an entry, as `db/README.md` describes it. */
export function encodeEntry({ jobId, at, event }: Entry): string {
  switch (event.kind) {
    case 'deliver':
      return JSON.stringify([jobId, at, 'd', ...deliveryCells(event.delivery)])
    case 'configure':
      return JSON.stringify([jobId, at, 'c', event.rules])
    case 'wake':
      return JSON.stringify([jobId, at, 'w'])
    case 'deaf':
      return JSON.stringify([jobId, at, 'x', event.fromAt, event.toAt])
    case 'forget':
      return JSON.stringify([jobId, at, 'f'])
  }
}

/** The entries of one journal row, in the order in which they were accepted.
 * @throws {SyntaxError} when the row is not what `encodeEntry` wrote */
export function decodeEntries(text: string): Entry[] {
  return (JSON.parse(text) as Cells[]).map(decodeEntry)
}

type Cells = readonly [jobId: number, at: number, kind: string, ...rest: unknown[]]

function decodeEntry([jobId, at, kind, ...rest]: Cells): Entry {
  switch (kind) {
    case 'd':
      return { jobId, at, event: { kind: 'deliver', delivery: deliveryOf(rest) } }
    case 'c':
      return { jobId, at, event: { kind: 'configure', jobId, rules: rest[0] as Rules } }
    case 'w':
      return { jobId, at, event: { kind: 'wake' } }
    case 'x':
      return { jobId, at, event: { kind: 'deaf', fromAt: Number(rest[0]), toAt: Number(rest[1]) } }
    case 'f':
      return { jobId, at, event: { kind: 'forget' } }
    default:
      throw new SyntaxError(`The journal holds an entry of the unknown kind ${kind}.`)
  }
}

/** Values and error code, and the rarer fields only where one of them is set. */
function deliveryCells(delivery: Delivery): unknown[] {
  const { values, errorCode, timestampAt, message, ttlMs, runId, signal } = delivery
  const plain = timestampAt === null && message === null && ttlMs === null && runId === null
  if (plain && signal === 'result') return [values, errorCode]
  return [values, errorCode, timestampAt, message, ttlMs, runId, signal]
}

function deliveryOf(cells: readonly unknown[]): Delivery {
  const [
    values,
    errorCode,
    timestampAt = null,
    message = null,
    ttlMs = null,
    runId = null,
    signal = 'result',
  ] = cells
  return {
    values: values as Record<string, Value>,
    errorCode: errorCode as number | null,
    timestampAt: timestampAt as number | null,
    message: message as string | null,
    ttlMs: ttlMs as number | null,
    runId: runId as string | null,
    signal: signal as Delivery['signal'],
  }
}
