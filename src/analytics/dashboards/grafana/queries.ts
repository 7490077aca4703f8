import { cutText } from '../../../lib/text.ts'
import { recordsAt, textAt } from './fields.ts'
import type { Json } from './fields.ts'
import { isJsonObject } from '../../../lib/json.ts'

const TEXT_MAX = 20_000
/** The fields in which data sources of Grafana keep the text of a query. */
const TEXTS = ['expr', 'rawSql', 'query', 'target', 'rawQuery', 'queryText', 'expression'] as const

/** A query of a panel. */
export type PanelQuery = {
  readonly refId: string
  /** The type, the name or the uid of the data source; empty where the panel does not name it. */
  readonly source: string
  readonly text: string
  /** Whether the text is SQL, without macros and variables of Grafana. */
  readonly isPlainSql: boolean
}

/** The queries of a panel, also the hidden ones. */
export function queriesOf(panel: Json): readonly PanelQuery[] {
  const ownSource = sourceOf(panel['datasource'])
  return recordsAt(panel, 'targets').map((target) => {
    const { refId, text, sql } = { refId: textAt(target, 'refId'), text: textIn(target), sql: sqlIn(target) }
    return {
      refId,
      source: sourceOf(target['datasource']) || ownSource,
      text: cutText(text, TEXT_MAX),
      isPlainSql: sql !== '' && sql.length <= TEXT_MAX && !sql.includes('$') && !sql.includes('[['),
    }
  })
}

function sqlIn(target: Json): string {
  return textAt(target, 'rawSql').trim()
}

function textIn(target: Json): string {
  for (const key of TEXTS) {
    const text = textAt(target, key).trim()
    if (text !== '' && text !== 'true' && text !== 'false') return text
  }
  const { refId: _refId, datasource: _datasource, ...rest } = target
  return Object.keys(rest).length === 0 ? '' : (JSON.stringify(rest, null, 2) ?? '')
}

/** The type of a data source, else its name or uid. */
function sourceOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (!isJsonObject(value)) return ''
  return textAt(value, 'type') || textAt(value, 'uid')
}
