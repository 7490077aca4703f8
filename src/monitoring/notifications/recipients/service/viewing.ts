import { timeFormat } from '../../../../lib/time.ts'
import type { Ports } from '../../../../ports/index.ts'
import { USES_MAX } from '../schema.ts'
import type { RecipientView } from '../schema.ts'
import type { RecipientChange, RecipientRow } from '../store.ts'
import { readUses } from '../store/usage.ts'
import type { Use } from '../store/usage.ts'

/** What is shown of a recipient and put on record: never its target. */
export function shownOf({ name, type, shownTarget: target, rules }: RecipientChange) {
  return { name, type, target, ...rules }
}

/** Recipients as they are shown, in their order. */
export async function viewsOf(ports: Ports, rows: readonly RecipientRow[]): Promise<RecipientView[]> {
  const ids = rows.map(({ id }) => id)
  const uses = Map.groupBy(await readUses(ports.database, ids, USES_MAX), ({ recipientId }) => recipientId)
  return rows.map((row) => viewOf(ports, row, uses.get(row.id) ?? []))
}

function viewOf({ settings }: Ports, row: RecipientRow, uses: readonly Use[]): RecipientView {
  const { id, lastAt, lastStatus, lastDetail } = row
  const format = timeFormat(settings.timeZone)
  const isKnown = lastAt !== null && lastStatus !== null
  return {
    ...shownOf(row),
    id,
    lastResult: isKnown ? { status: lastStatus, at: format(lastAt), detail: lastDetail ?? '' } : null,
    usedBy: uses.map(useOf),
    warnings: warningsOf(row, uses),
  }
}

function useOf(use: Use): RecipientView['usedBy'][number] {
  if (use.kind === 'escalation') return { kind: use.kind, recipientId: use.ofRecipientId }
  const { kind, linkId, objectType, objectId } = use
  return { kind, linkId, objectType, objectId }
}

function warningsOf({ lastStatus, lastDetail }: RecipientRow, uses: readonly Use[]) {
  const warnings: RecipientView['warnings'] = []
  if (uses.length === 0) {
    const message = 'No alarm link and no escalation names this recipient: it is notified of nothing.'
    warnings.push({ code: 'not_used', message })
  }
  if (lastStatus === 'failed') {
    const message = `The latest message did not arrive: ${lastDetail ?? ''}`
    warnings.push({ code: 'last_message_failed', message })
  }
  return warnings
}
