import { hasRole } from '../../../../context.ts'
import type { Context } from '../../../../context.ts'
import { runQuery } from '../../../../data/queries/service/run.ts'
import type { ResultView } from '../../../../data/queries/run-schema.ts'
import { READERS } from '../../../../data/sources/schema.ts'
import { Refusal, noSuch } from '../../../../lib/errors.ts'
import { ownValue } from '../../../../lib/json.ts'
import { readQueries } from '../../nested/store.ts'
import type { NamedQuery } from '../../nested/store.ts'
import { substituted } from '../../parameters.ts'
import type { Values } from '../../parameters.ts'
import { referencesOf } from '../../references.ts'
import { ROWS_MAX } from '../../widgets.ts'
import type { AskedData } from '../asked.ts'

/** Rows of one answer, of all its widgets together. */
const ALL_ROWS_MAX = 50_000

/** Dashboards of users with equal scopes share results of this age. */
const AGE_MAX_MS = 1_000

/** The runs of data queries of one request. Equal runs are one. */
export class QueryReads {
  readonly #runs = new Map<string, Promise<ResultView>>()
  readonly #limit: number
  #queries: Promise<ReadonlyMap<number, NamedQuery>> | null = null

  constructor(
    private readonly context: Context,
    private readonly asked: AskedData,
    private readonly signal: AbortSignal,
  ) {
    const count = [...asked.widgets.values()].filter(
      ({ kind }) => kind === 'chart' || kind === 'table' || kind === 'map',
    ).length
    this.#limit = Math.min(ROWS_MAX, Math.floor(ALL_ROWS_MAX / Math.max(1, count)))
  }

  /** The result of the published version of a data query, with the values of the dashboard and of the widget.
   * @throws {Refusal} not_found, forbidden for a data query that dashboards may not use, and as `runQuery` */
  async run(id: number | null, params: Values, limit: number): Promise<ResultView> {
    this.#queries ??= this.#readQueries()
    const query = id === null ? undefined : (await this.#queries).get(id)
    if (!query) throw noSuch('data query')
    if (!query.isAccessible && !mayRun(this.context))
      throw new Refusal('forbidden', 'Dashboards may not use this data query for users of your role.')
    const all = { ...this.asked.values, ...substituted(params, this.asked.values) }
    const parameters = Object.fromEntries(
      query.parameters.flatMap((name) => {
        const value = ownValue(all, name) ?? null
        return value === null ? [] : [[name, value] as const]
      }),
    )
    const body = {
      parameters,
      limit: Math.min(limit, this.#limit),
      version: 'published',
      maxAge: AGE_MAX_MS,
      check: false,
    } as const
    const key = JSON.stringify([query.id, body])
    const known = this.#runs.get(key)
    if (known) return known
    const run = runQuery(
      this.context,
      { id: query.id, body },
      { signal: this.signal, onBackend: () => undefined },
    )
    this.#runs.set(key, run)
    return run
  }

  async #readQueries(): Promise<ReadonlyMap<number, NamedQuery>> {
    const references = referencesOf(this.asked.definition)
    const ids = references.flatMap(({ kind, targetId }) => (kind === 'dataQuery' ? [targetId] : []))
    const rows = await readQueries(this.context.ports.database, [...new Set(ids)])
    return new Map(rows.map((row) => [row.id, row]))
  }
}

/** Whether the caller may run data queries without a dashboard. */
function mayRun({ caller }: Context): boolean {
  return hasRole(caller, READERS)
}
