import { getTableColumns, getTableName } from 'drizzle-orm'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as access from '../../../../db/tables/access.ts'
import * as alarms from '../../../../db/tables/alarms.ts'
import { audit } from '../../../../db/tables/audit.ts'
import * as backups from '../../../../db/tables/backups.ts'
import * as content from '../../../../db/tables/content.ts'
import * as credentials from '../../../../db/tables/credentials.ts'
import * as dashboards from '../../../../db/tables/dashboards.ts'
import { demo } from '../../../../db/tables/demo.ts'
import { directorySyncs } from '../../../../db/tables/directory.ts'
import { eventEpochs } from '../../../../db/tables/events.ts'
import { dependencies } from '../../../../db/tables/dependencies.ts'
import * as forecasts from '../../../../db/tables/forecasts.ts'
import * as jobs from '../../../../db/tables/jobs.ts'
import * as told from '../../../../db/tables/notifications.ts'
import { operations } from '../../../../db/tables/operations.ts'
import * as oidc from '../../../../db/tables/oidc.ts'
import * as plans from '../../../../db/tables/revaluations.ts'
import * as runs from '../../../../db/tables/runs.ts'
import * as queries from '../../../../db/tables/queries.ts'
import * as scripts from '../../../../db/tables/scripts.ts'
import * as slcs from '../../../../db/tables/slcs.ts'
import * as slos from '../../../../db/tables/slos.ts'
import * as sources from '../../../../db/tables/sources.ts'
import * as states from '../../../../db/tables/states.ts'
import * as pages from '../../../../db/tables/status-pages.ts'
import * as tree from '../../../../db/tables/tree.ts'
import * as queues from '../../../../db/tables/work-queues.ts'

type Cells = Readonly<Record<string, unknown>>

/** The treatment of a table in a backup. */
type TablePolicy = {
  /** Always, or with histories or files alone. */
  readonly kept: 'always' | 'histories' | 'files'
  /** Rows are only ever added and never changed, and may be many. */
  readonly grows?: true
  /** Columns that are sealed, and what for; or what the texts in the JSON of `secrets` are sealed for, by their names. */
  readonly sealed?: Readonly<Record<string, (row: Cells) => string>> | ((name: string) => string)
  /** Rows whose column `blob` is not null have bytes: their name in an archive, and what the keys of their blobs begin with. */
  readonly bytes?: (row: Cells) => { readonly name: string; readonly prefix: string }
  /** A restore empties it although the archive does not have it: its rows belong to others that are replaced. */
  readonly isEmptied?: true
  /** Columns that have a meaning only with histories, and are null without them. */
  readonly past?: readonly string[]
}

type Fate = TablePolicy | { readonly left: string }

const ALWAYS: Fate = { kept: 'always' }
const HISTORIES: Fate = { kept: 'histories' }
const RECORD: Fate = { kept: 'histories', grows: true }
const SIGNED_IN: Fate = { left: 'who was signed in signs in again: a restore must bring no session back' }

const RUNS_LEFT: Fate = { left: 'jobs that ran here, or were to: their scripts are kept' }
const SIGNING = () => 'webhook signing key'

/** The table of SQLite with the latest id of each table. */
export const SEQUENCES = 'sqlite_sequence'

/** The treatment of each table. A table that is not here fails a test. */
const FATES: readonly (readonly [table: SQLiteTable, fate: Fate])[] = [
  [access.users, ALWAYS],
  [access.preferences, ALWAYS],
  [access.sessions, SIGNED_IN],
  [access.setups, { left: 'the set-up link of an installation without users' }],
  [access.userGroups, ALWAYS],
  [access.memberships, ALWAYS],
  [access.grants, ALWAYS],
  [alarms.alarmLinks, ALWAYS],
  [alarms.alarms, HISTORIES],
  [alarms.alarmComments, HISTORIES],
  [alarms.alarmChanges, RECORD],
  [audit, RECORD],
  [backups.backups, { left: 'archives are not in archives' }],
  [backups.backupRows, { left: 'rows on their way into an archive or out of one' }],
  [backups.restores, { left: 'the latest restore of this installation' }],
  [content.files, { kept: 'files', bytes: (row) => ({ name: String(row['name']), prefix: 'files' }) }],
  [content.orphanedBlobs, { left: 'blobs of this installation' }],
  [content.styles, ALWAYS],
  [content.settings, { kept: 'always', sealed: (name) => name }],
  [content.translations, ALWAYS],
  [content.translationCache, { left: 'is asked for again' }],
  [credentials.personalTokens, ALWAYS],
  [credentials.mfa, { kept: 'always', sealed: { secret: (row) => `mfa ${String(row['user_id'])}` } }],
  [credentials.recoveryCodes, ALWAYS],
  [credentials.passwords, ALWAYS],
  [credentials.attempts, { left: 'counts of an hour' }],
  [dashboards.dashboardGroups, ALWAYS],
  [dashboards.dashboards, ALWAYS],
  [dashboards.dashboardOldUrls, ALWAYS],
  [dashboards.dashboardVersions, ALWAYS],
  [dashboards.dashboardReferences, ALWAYS],
  [dashboards.dashboardGrants, ALWAYS],
  [dashboards.dashboardPublics, { kept: 'always', sealed: { token_sealed: () => 'public dashboard' } }],
  [dashboards.dashboardSnapshots, HISTORIES],
  [demo, ALWAYS],
  [directorySyncs, { left: 'when this installation asks its directory' }],
  [eventEpochs, { left: 'counts the readers of this installation' }],
  [tree.objects, ALWAYS],
  [tree.devices, ALWAYS],
  [jobs.jobs, ALWAYS],
  [jobs.jobValues, ALWAYS],
  [jobs.unknownLimits, { left: 'the objects of the jobs report it again' }],
  [tree.properties, ALWAYS],
  [states.states, HISTORIES],
  [states.transitions, RECORD],
  [states.slaChanges, RECORD],
  [jobs.pings, ALWAYS],
  [slos.slos, ALWAYS],
  [slos.links, ALWAYS],
  [dependencies, ALWAYS],
  [
    told.alarmRecipients,
    { kept: 'always', sealed: { target: (row) => `alarm recipient ${String(row['type'])}` } },
  ],
  [told.notifications, HISTORIES],
  [told.notices, HISTORIES],
  [told.noticeProgress, HISTORIES],
  [told.notificationPauses, { left: 'a restore pauses them by itself' }],
  [operations, { left: 'work of this installation' }],
  [oidc.oidcIdentities, ALWAYS],
  [oidc.oidcStates, SIGNED_IN],
  [oidc.oidcLogins, SIGNED_IN],
  [oidc.oidcSessions, SIGNED_IN],
  [plans.revaluations, ALWAYS],
  [sources.dataGenerations, { left: 'a restore makes new ones' }],
  [sources.dataTables, { kept: 'files', isEmptied: true }],
  [sources.dataRefreshes, { kept: 'files', isEmptied: true }],
  [sources.dataUploads, { left: 'files that wait to be imported' }],
  [sources.dataSources, { kept: 'always', sealed: { password: () => 'data source password' } }],
  [sources.dataScopes, ALWAYS],
  [sources.dataScopeSubjects, ALWAYS],
  [sources.dataSourceNotes, ALWAYS],
  [queries.dataQueryGroups, ALWAYS],
  [queries.dataQueries, ALWAYS],
  [queries.dataQueryVersions, ALWAYS],
  [queries.dataQueryReferences, ALWAYS],
  [queries.dataQueryResults, { left: 'results are computed anew' }],
  [sources.dataSourceCatalogues, { left: 'the next sync reads it from the database again' }],
  [runs.runners, { left: 'nodes that register with this installation' }],
  [runs.runs, RUNS_LEFT],
  [runs.runLogLines, RUNS_LEFT],
  [runs.runFiles, RUNS_LEFT],
  [runs.runRepeats, RUNS_LEFT],
  [forecasts.forecasts, ALWAYS],
  [forecasts.forecastGroups, ALWAYS],
  [forecasts.forecastBands, ALWAYS],
  [scripts.scriptGroups, ALWAYS],
  [scripts.scripts, ALWAYS],
  [scripts.scriptDependents, ALWAYS],
  [
    scripts.scriptFiles,
    {
      kept: 'always',
      bytes: (row) => ({
        name: `${String(row['script_id'])}/${String(row['path'])}`,
        prefix: `scripts/${String(row['script_id'])}`,
      }),
    },
  ],
  [scripts.runConfigurations, { kept: 'always', sealed: (name) => `variable of a script ${name}` }],
  [scripts.scheduleConfigurations, ALWAYS],
  [scripts.webhookTokens, { kept: 'always', sealed: { signing_key: SIGNING, former_signing_key: SIGNING } }],
  [slcs.slcs, { kept: 'always', past: ['judged'] }],
  [slcs.slcPeriods, HISTORIES],
  [slcs.slcRevisions, HISTORIES],
  [slcs.slcMaintenance, HISTORIES],
  [
    pages.statusPages,
    { kept: 'always', sealed: { page_sealed: () => 'status page', badge_sealed: () => 'badge' } },
  ],
  [pages.statusPageChildren, ALWAYS],
  [queues.staleJobConfigs, { left: 'a restore enqueues all jobs' }],
  [queues.staleMaintenance, HISTORIES],
  [queues.staleMemberships, HISTORIES],
  [queues.staleTallies, HISTORIES],
]

/** A table as archives know it. */
export type Table = TablePolicy & {
  readonly name: string
  readonly columns: readonly Column[]
  /** Columns that name a row of another table, with that table and its column. */
  readonly references: readonly Reference[]
}

export type Column = { readonly name: string; readonly isReal: boolean }
export type Reference = { readonly column: string; readonly table: string; readonly to: string }

/** Every table that archives hold, after those that it refers to. */
export const TABLES: readonly Table[] = inOrder(
  FATES.flatMap(([table, fate]) => ('left' in fate ? [] : [{ ...fate, ...shapeOf(table) }])),
)

/** The names of all tables with a decided treatment. */
export const DECIDED: readonly string[] = FATES.map(([table]) => getTableName(table))

export function tableCalled(name: string): Table | undefined {
  return TABLES.find((table) => table.name === name)
}

function shapeOf(table: SQLiteTable): Pick<Table, 'name' | 'columns' | 'references'> {
  const columns = Object.values(getTableColumns(table)).map((column) => ({
    name: column.name,
    isReal: column.getSQLType() === 'real',
  }))
  const references = getTableConfig(table).foreignKeys.map((key) => {
    const { columns: own, foreignTable, foreignColumns } = key.reference()
    return {
      column: own[0]?.name ?? '',
      table: getTableName(foreignTable),
      to: foreignColumns[0]?.name ?? '',
    }
  })
  return { name: getTableName(table), columns, references }
}

function inOrder(tables: readonly Table[]): readonly Table[] {
  const placed: Table[] = []
  const place = (table: Table) => {
    if (placed.includes(table)) return
    for (const { table: name } of table.references) {
      const other = tables.find((one) => one.name === name)
      if (other && other !== table) place(other)
    }
    placed.push(table)
  }
  for (const table of tables) place(table)
  return placed
}
