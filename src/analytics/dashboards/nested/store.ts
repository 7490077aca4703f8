import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { elementsOf } from '../../../../db/lists.ts'
import type { Database } from '../../../ports/database.ts'
import { hasNotEnded, IS_GONE } from '../store.ts'
import type { listGone } from '../store.ts'

export type NamedQuery = {
  readonly id: number
  readonly name: string
  readonly published: number
  /** Whether dashboards show its results to users who may not run it. */
  readonly isAccessible: boolean
  readonly parameters: string[]
}
type QueryRow = Omit<NamedQuery, 'isAccessible' | 'parameters'> & {
  readonly isAccessible: number
  readonly parameters: string
}

/** The names of the parameters of data queries: of the published version, or of the draft of an unpublished one. */
export async function readQueries(database: Database, ids: readonly number[]): Promise<NamedQuery[]> {
  const rows = await database.all<QueryRow>(sql`
    select id as "id", name as "name", published as "published", is_accessible as "isAccessible",
      parameters as "parameters" from (${queriesAmong(ids)})`)
  return rows.map(namedQuery)
}

export type NamedScript = { readonly id: number; readonly name: string; readonly acceptedFiles: string[] }

/** Data queries and scripts that dashboards show, and references to things that are gone. */
export type Shown = {
  readonly queries: readonly NamedQuery[]
  readonly scripts: readonly NamedScript[]
  readonly gone: Awaited<ReturnType<typeof listGone>>
  /** The ids of the dashboards with a public link that has not ended. */
  readonly publics: readonly number[]
  /** The language of the user. */
  readonly language: string
}

/** The names of what dashboards show, what is gone of it, and the language of a user, in one statement. */
export async function readShown(
  database: Database,
  asked: {
    readonly dashboards: readonly number[]
    readonly queries: readonly number[]
    readonly scripts: readonly number[]
    readonly userId: number
    readonly now: number
  },
): Promise<Shown> {
  const rows = await database.all<{ kind: string; item: string }>(sql`
    select 'query' as "kind", json_object('id', id, 'name', name, 'published', published,
        'isAccessible', is_accessible, 'parameters', parameters) as "item", id, '' from (${queriesAmong(asked.queries)})
    union all
    select 'script', json_object('id', id, 'name', name, 'acceptedFiles', json(accepted_files)), id, ''
    from scripts where id in ${elementsOf(asked.scripts)}
    union all
    select 'gone', json_object('dashboardId', r.dashboard_id, 'pointer', r.pointer, 'kind', r.kind,
        'targetId', r.target_id, 'targetName', r.target_name), r.dashboard_id, r.pointer
    from dashboard_references r where r.dashboard_id in ${elementsOf(asked.dashboards)} and ${IS_GONE}
    union all
    select 'public', json_quote(dashboard_id), dashboard_id, '' from dashboard_publics
    where dashboard_id in ${elementsOf(asked.dashboards)} and ${hasNotEnded(asked.now)}
    union all
    select 'language', json_quote(language), id, '' from users where id = ${asked.userId}
    order by 3, 4`)
  const itemsOf = <Item>(wanted: string) =>
    rows.flatMap(({ kind, item }) => (kind === wanted ? [JSON.parse(item) as Item] : []))
  return {
    queries: itemsOf<QueryRow>('query').map(namedQuery),
    scripts: itemsOf('script'),
    gone: itemsOf('gone'),
    publics: itemsOf<number>('public'),
    language: itemsOf<string>('language')[0] ?? '',
  }
}

/** Data queries with the names of their parameters as a JSON list. */
function queriesAmong(ids: readonly number[]): SQL {
  return sql`
    select q.id as id, q.name as name, q.published as published, q.is_accessible as is_accessible,
      (select json_group_array(p.value ->> 'name') from json_each(coalesce(v.parameters, q.parameters)) p) as parameters
    from data_queries q left join data_query_versions v on v.query_id = q.id and v.number = q.published
    where q.id in ${elementsOf(ids)}`
}

function namedQuery(row: QueryRow): NamedQuery {
  return { ...row, isAccessible: row.isAccessible === 1, parameters: JSON.parse(row.parameters) as string[] }
}
