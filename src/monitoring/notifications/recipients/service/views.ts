import { timeFormat } from '../../../../lib/time.ts'
import type { Ports } from '../../../../ports/index.ts'
import { USES_MAX } from '../schema.ts'
import type { RecipientView } from '../schema.ts'
import type { RecipientChange, RecipientRow } from '../store.ts'
import { readGaps, readUses } from '../store/usage.ts'
import type { Gap, Use } from '../store/usage.ts'

/** The fields of a recipient for views and audit records, without its target. */
export function shownOf({ name, type, shownTarget: target, rules }: RecipientChange) {
  return { name, type, target, ...rules }
}

/** Recipients as the interface shows them, in order. */
export async function viewsOf(ports: Ports, rows: readonly RecipientRow[]): Promise<RecipientView[]> {
  const { database, settings } = ports
  const ids = rows.map(({ id }) => id)
  const [uses, gaps] = await Promise.all([readUses(database, ids, USES_MAX), readGaps(database, ids)])
  const usesOf = Map.groupBy(uses, ({ recipientId }) => recipientId)
  const gapsOf = Map.groupBy(gaps, ({ recipientId }) => recipientId)
  const format = timeFormat(settings.timeZone)
  return rows.map((row) => {
    const { id, lastAt, lastStatus, lastDetail } = row
    const isKnown = lastAt !== null && lastStatus !== null
    const used = usesOf.get(id) ?? []
    return {
      ...shownOf(row),
      id,
      lastResult: isKnown ? { status: lastStatus, at: format(lastAt), detail: lastDetail ?? '' } : null,
      usedBy: used.map(useOf),
      warnings: warningsOf(row, used, gapsOf.get(id) ?? []),
    }
  })
}

function useOf(use: Use): RecipientView['usedBy'][number] {
  if (use.kind === 'escalation') return { kind: use.kind, recipientId: use.ofRecipientId }
  const { kind, linkId, objectType, objectId } = use
  return { kind, linkId, objectType, objectId }
}

type RecipientWarning = RecipientView['warnings'][number]

const GAPS: Readonly<Record<Gap['why'], string>> = {
  reaches_nobody:
    'No user of this recipient can sign in and has a mail address. Add such a user to the group, or set a mail address.',
  objects_gone: 'All objects in objectIds were deleted, so the recipient gets no notifications.',
}

function warningsOf(
  { lastStatus, lastDetail }: RecipientRow,
  uses: readonly Use[],
  gaps: readonly Gap[],
): RecipientWarning[] {
  const isUnused: RecipientWarning = {
    code: 'not_used',
    message: 'No alarm link and no escalation uses this recipient, so it gets no notifications.',
  }
  const hasFailed: RecipientWarning = {
    code: 'last_message_failed',
    message: `The latest message did not arrive: ${lastDetail ?? ''}`,
  }
  return [
    ...(uses.length === 0 ? [isUnused] : []),
    ...gaps.map(({ why }) => ({ code: why, message: GAPS[why] })),
    ...(lastStatus === 'failed' ? [hasFailed] : []),
  ]
}
