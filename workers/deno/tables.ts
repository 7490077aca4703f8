import { join } from 'node:path'

import { openTables as openTablesWith } from '../server/tables/tables.ts'
import type { OpenTables, TablesParts } from '../server/tables/tables.ts'

/** Tables whose processes run on Deno. */
export function openTables(parts: TablesParts): Promise<OpenTables> {
  return openTablesWith(parts, join(import.meta.dirname, 'tables-child.ts'))
}
