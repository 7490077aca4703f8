import type { Range } from '../../../lib/range.ts'
import type { Definition } from '../definition.ts'
import type { Values } from '../parameters.ts'
import type { Widget } from '../widgets.ts'
import type { DataBody } from './schema.ts'

/** A request for data, with the values that it resolved to. */
export type AskedData = {
  readonly dashboardId: number
  readonly definition: Definition
  readonly widgets: ReadonlyMap<string, Widget>
  readonly values: Values
  readonly range: Range
  readonly widths: DataBody['width']
}
