import { KINDS } from '../widgets.ts'
import { isJsonObject } from '../../../lib/json.ts'

type Json = Readonly<Record<string, unknown>>

/** Widgets of kinds that this release does not know, as widgets that are kept. */
export function keepUnknown(definition: Json): {
  readonly definition: Json
  readonly kept: readonly string[]
} {
  const kept: string[] = []
  const widgets = widgetsOf(definition).map(([id, widget]) => {
    const kind = isJsonObject(widget) ? widget['kind'] : undefined
    if (!isJsonObject(widget) || typeof kind !== 'string' || KINDS.has(kind) || kind === 'unknown')
      return [id, widget]
    kept.push(id)
    const title = typeof widget['title'] === 'string' ? widget['title'].slice(0, 255) : ''
    return [id, { kind: 'unknown', title, original: widget }]
  })
  const version = definition['schemaVersion']
  const isNewer = typeof version === 'number' && version > 1
  return {
    definition: {
      ...definition,
      ...(isNewer && { schemaVersion: 1 }),
      widgets: Object.fromEntries(widgets) as Json,
    },
    kept,
  }
}

/** Widgets that were kept, as they came. */
export function restoreUnknown(definition: Json): Json {
  const widgets = widgetsOf(definition).map(([id, widget]) => {
    const isKept = isJsonObject(widget) && widget['kind'] === 'unknown' && isJsonObject(widget['original'])
    return [id, isKept ? widget['original'] : widget]
  })
  return { ...definition, widgets: Object.fromEntries(widgets) as Json }
}

function widgetsOf({ widgets }: Json): [string, unknown][] {
  return isJsonObject(widgets) ? Object.entries(widgets) : []
}
