import { idsOf } from '../../access/rights/permissions.ts'
import type { TimeFormat } from '../../lib/time.ts'
import type { AlarmChangeRow, TransitionRow } from './store.ts'
import type { JobValues } from './values.ts'
import type { Draft } from './window.ts'

/** A transition as its object's readers are told it. What brought it about stays out: they may not see that. */
export function stateDraft(row: TransitionRow, format: TimeFormat): Draft {
  const { objectId, type, name, seq, from, to, reason, errorCode, message } = row
  const [timestamp, detectedAt] = [format(row.at), format(row.detectedAt)]
  const object = { objectId, objectType: type, name, seq }
  const data = { ...object, from, to, timestamp, detectedAt, reason, errorCode, message }
  return { kind: 'state', above: idsOf(row.path), jobId: null, data }
}

/** A change of an alarm as its object's readers are told it; the alarm itself says more. */
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

/** Says that changes of states, or values of one job, may have been missed. */
export function gapDraft(reason: 'history' | 'values', jobId: number | null): Draft {
  return { kind: 'gap', above: [], jobId, data: { reason, ...(jobId !== null && { jobId }) } }
}

/** An event for nobody: its number parts what came before it from what comes after it. */
export const MARK: Draft = { kind: 'mark', above: [], jobId: null, data: {} }
