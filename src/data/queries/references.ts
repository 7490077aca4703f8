import type { Reference, References } from '../../templates/references.ts'
import type { Template } from '../../templates/template.ts'
import type { Definition, QueryView } from './schema.ts'

/** How many data queries may be between a statement and the innermost one, with this one. */
export const DEPTH_MAX = 10
/** How many data queries a template may reach. */
export const REACHED_MAX = 50

/** The published version of a data query. */
export type Published = Pick<Definition, 'dataSourceId' | 'parameters' | 'escaping'> & {
  readonly name: string
  /** Null when the text is not a template. */
  readonly template: Template | null
  readonly references: References
}

/** The data queries that a template reaches, by the keys of their names; null for those that were never published. */
export type Library = ReadonlyMap<string, Published | null>

export type ReferenceFault = {
  /** In the text, from 0. */
  readonly position: number
  readonly code: QueryView['errors'][number]['code']
  readonly complaint: string
}

/** How the database compares names: composed, with the letters A to Z in any case. */
export function keyOf(name: string): string {
  return name.normalize('NFC').replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

type Own = Pick<Definition, 'dataSourceId' | 'escaping'> & {
  /** Null for a text that is not stored. */
  readonly name: string | null
  readonly references: References
}

/** The references of a template that no run can follow, with any values of its parameters. */
export function referenceFaults(
  { name, dataSourceId, escaping, references }: Own,
  library: Library,
): ReferenceFault[] {
  const computed = references.computed.map((position): ReferenceFault => ({
    position,
    code: 'invalid',
    complaint: 'ref is called with the name of a data query in quotes, and is not used otherwise',
  }))
  const graph = new Graph(library, dataSourceId, name ?? 'this text')
  const faults = references.calls.flatMap((call): ReferenceFault[] => {
    if (escaping === 'legacy') return [{ position: call.at, ...LEGACY }]
    const fault = library.size > REACHED_MAX ? TOO_MANY : graph.faultOf(call)
    return fault ? [{ position: call.at, ...fault }] : []
  })
  return [...computed, ...faults]
}

type Fault = Omit<ReferenceFault, 'position'>

const TOO_MANY: Fault = {
  code: 'invalid',
  complaint: `reaches more than ${REACHED_MAX} data queries`,
}

const LEGACY: Fault = {
  code: 'invalid',
  complaint: 'a template with the escaping legacy refers to no data query',
}

/** The data queries below a template. */
class Graph {
  /** The names from the template to the data query in question. */
  readonly #path: string[]
  /** The levels of data queries without a fault, with themselves. */
  readonly #heights = new Map<string, number>()

  constructor(
    private readonly published: Library,
    private readonly dataSourceId: number,
    root: string,
  ) {
    this.#path = [root]
  }

  faultOf(call: Reference): Fault | undefined {
    const found = this.#heightOf(call.name)
    return typeof found === 'number' ? undefined : found
  }

  #heightOf(written: string): number | Fault {
    const key = keyOf(written)
    const known = this.#heights.get(key)
    const found = this.published.get(key)
    const isCycle = this.#path.some((other) => keyOf(other) === key)
    const path = [...this.#path, found?.name ?? written].join(' > ')
    if (isCycle) return { code: 'cycle', complaint: `refers to itself: ${path}` }
    if (this.#path.length + (known ?? 1) > DEPTH_MAX + 1)
      return { code: 'invalid', complaint: `reaches more than ${DEPTH_MAX} levels of data queries: ${path}` }
    if (known !== undefined) return known
    if (found === undefined)
      return { code: 'not_found', complaint: `there is no data query of this name: ${path}` }
    if (found === null) return { code: 'not_found', complaint: `the data query was never published: ${path}` }
    if (found.dataSourceId !== this.dataSourceId)
      return { code: 'invalid', complaint: `the data query reads another data source: ${path}` }
    if (found.escaping === 'legacy')
      return { code: 'invalid', complaint: `the data query has the escaping legacy: ${path}` }
    this.#path.push(found.name)
    const height = this.#above(found)
    this.#path.pop()
    if (typeof height === 'number') this.#heights.set(key, height)
    return height
  }

  /** The height of a data query above those that it refers to. */
  #above({ references }: Published): number | Fault {
    let height = 1
    for (const call of references.calls) {
      const below = this.#heightOf(call.name)
      if (typeof below !== 'number') return below
      height = Math.max(height, below + 1)
    }
    return height
  }
}
