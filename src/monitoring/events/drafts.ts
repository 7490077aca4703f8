import { idsOf } from '../../access/rights/permissions.ts'
import type { TimeFormat } from '../../lib/time.ts'
import type { AlarmChangeRow, TransitionRow } from './store.ts'
import type { JobValues } from './values.ts'
import type { Draft } from './window.ts'

/** A state transition as an event. The cause is left out: the reader may not have the right to read it. */
export function stateDraft(row: TransitionRow, format: TimeFormat): Draft {
  const { objectId, type, name, seq, from, to, reason, errorCode, message } = row
  const [timestamp, detectedAt] = [format(row.at), format(row.detectedAt)]
  const object = { objectId, objectType: type, name, seq }
  const data = { ...object, from, to, timestamp, detectedAt, reason, errorCode, message }
  return { kind: 'state', above: idsOf(row.path), jobId: null, data }
}

/** A change of an alarm as an event; `GET /alarms/{id}` has the details. */
export function alarmDraft(row: AlarmChangeRow, format: TimeFormat): Draft {
  const { alarmId, version, kind, state, objectId, type, name } = row
  const data = { alarmId, version, kind, state, timestamp: format(row.at), objectId, objectType: type, name }
  return { kind: 'alarm', above: idsOf(row.path), jobId: null, data }
}

export function valueDraft(
  { jobId, samples, truncated }: JobValues,
  above: readonly number[],
  format: TimeFormat,
): Draft {
  const shown = samples.map(({ key, at, value }) => ({ key, timestamp: format(at), value }))
  return { kind: 'value', above, jobId, data: { jobId, samples: shown, truncated } }
}

/** An event that says that state changes, or values of one job, may have been missed. */
export function gapDraft(reason: 'history' | 'values', jobId: number | null): Draft {
  return { kind: 'gap', above: [], jobId, data: { reason, ...(jobId !== null && { jobId }) } }
}

/** An event that no reader gets: its number separates the events before it from those after it. */
export const MARK: Draft = { kind: 'mark', above: [], jobId: null, data: {} }
