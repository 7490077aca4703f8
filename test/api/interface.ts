import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { oidcProvider } from '../hosts/oidc-provider.ts'
import { hasSlapd, startSlapd } from '../hosts/slapd.ts'
import type { Slapd } from '../hosts/slapd.ts'
import type { Host } from '../hosts/host.ts'
import { RUNNER_TOKEN } from '../runs/fake-runner.ts'
import { startTranslator } from '../hosts/translator.ts'
import { accountSuite } from './account.suite.ts'
import { alarmsSuite } from './alarms.suite.ts'
import { auditSuite } from './audit.suite.ts'
import { backupsSuite } from './backups.suite.ts'
import { browseSuite } from './browse.suite.ts'
import { bulkSuite } from './bulk.suite.ts'
import { connect } from './client.ts'
import type { Client } from './client.ts'
import { cookieSuite } from './cookie.suite.ts'
import { currentValuesSuite } from './current-values.suite.ts'
import { dashboardsDataSuite } from './dashboards-data.suite.ts'
import { publicDashboardsSuite } from './public-dashboards.suite.ts'
import { dashboardsFrozenSuite } from './dashboards-frozen.suite.ts'
import { dashboardsPortableSuite } from './dashboards-portable.suite.ts'
import { dashboardsRightsSuite } from './dashboards-rights.suite.ts'
import { dashboardsRunsSuite } from './dashboards-runs.suite.ts'
import { dashboardsSuite } from './dashboards.suite.ts'
import { dataQueriesSuite } from './data-queries.suite.ts'
import { dataQueryResultsSuite } from './data-query-results.suite.ts'
import { dataScopesSuite } from './data-scopes.suite.ts'
import { dataSourceNotesSuite } from './data-source-notes.suite.ts'
import { dataDefinitionsSuite } from './data-definitions.suite.ts'
import { dataRefreshesSuite } from './data-refreshes.suite.ts'
import { dataRowsSuite } from './data-rows.suite.ts'
import { dataScriptRefreshesSuite } from './data-script-refreshes.suite.ts'
import { dataFilesSuite } from './data-files.suite.ts'
import { dataTablesSuite } from './data-tables.suite.ts'
import { dataSourceConfigurationSuite } from './data-source-configuration.suite.ts'
import { dataSourcesSuite } from './data-sources.suite.ts'
import { deliveriesSuite } from './deliveries.suite.ts'
import { demoSuite } from './demo.suite.ts'
import { dependenciesSuite } from './dependencies.suite.ts'
import { errorsSuite } from './errors.suite.ts'
import { exportsSuite } from './exports.suite.ts'
import { filesSuite } from './files.suite.ts'
import { eventsSuite } from './events.suite.ts'
import { geoSuite } from './geo.suite.ts'
import { forecastsSuite } from './forecasts.suite.ts'
import { grantsSuite } from './grants.suite.ts'
import { historiesSuite } from './histories.suite.ts'
import { flappingSuite } from './flapping.suite.ts'
import { historySuite } from './history.suite.ts'
import { jobActionsSuite } from './job-actions.suite.ts'
import { jobsSuite } from './jobs.suite.ts'
import { codeGeneratorSuite } from './code-generator.suite.ts'
import { DIRECTORY, ldapSuite } from './ldap.suite.ts'
import { membershipSuite } from './membership.suite.ts'
import { lateJobsSuite } from './late-jobs.suite.ts'
import { metricsSuite } from './metrics.suite.ts'
import { plansSuite } from './plans.suite.ts'
import { pingsSuite } from './pings.suite.ts'
import { oidcSuite } from './oidc.suite.ts'
import { patchesSuite } from './patches.suite.ts'
import { packagesSuite } from './packages.suite.ts'
import { routesOfDocument } from './openapi-checker.ts'
import { roundsSuite } from './rounds.suite.ts'
import { searchSuite } from './search.suite.ts'
import { operationsSuite } from './operations.suite.ts'
import { pastSuite } from './past.suite.ts'
import { revaluationCalendarSuite } from './revaluation-calendar.suite.ts'
import { revaluationsSuite } from './revaluations.suite.ts'
import { replaySuite } from './replay.suite.ts'
import { refusalsSuite } from './refusals.suite.ts'
import { recipientsSuite } from './recipients.suite.ts'
import { rolesSuite } from './roles.suite.ts'
import { runsSuite } from './runs.suite.ts'
import { consoleSuite } from './console.suite.ts'
import { selectionSuite } from './selection.suite.ts'
import { sessionSuite } from './session.suite.ts'
import { scriptConfigurationsSuite } from './script-configurations.suite.ts'
import { scriptFilesSuite } from './script-files.suite.ts'
import { scopedReadsSuite } from './scoped-reads.suite.ts'
import { scriptsSuite } from './scripts.suite.ts'
import { settingsSuite } from './settings.suite.ts'
import { sharedResultsSuite } from './shared-results.suite.ts'
import { slcsSuite } from './slcs.suite.ts'
import { slosSuite } from './slos.suite.ts'
import { closeSourceServer, hasSourceServer, startSourceServer } from './source-server.ts'
import { stateChangesSuite } from './state-changes.suite.ts'
import { statesSuite } from './states.suite.ts'
import { statusPagesSuite } from './status-pages.suite.ts'
import { EVERY_ROW, oneOfEach } from './suite.ts'
import type { Suite } from './suite.ts'
import { stylesSuite } from './styles.suite.ts'
import { telemetrySuite } from './telemetry.suite.ts'
import { thresholdsSuite } from './thresholds.suite.ts'
import { translationsSuite } from './translations.suite.ts'
import { treeSuite } from './tree.suite.ts'
import { userGroupsSuite } from './user-groups.suite.ts'
import { usersSuite } from './users.suite.ts'
import { webhooksSuite } from './webhooks.suite.ts'

export const SUITES: readonly Suite[] = [
  errorsSuite,
  rolesSuite,
  sessionSuite,
  cookieSuite,
  usersSuite,
  userGroupsSuite,
  grantsSuite,
  ...(hasSlapd ? [ldapSuite] : []),
  accountSuite,
  oidcSuite,
  treeSuite,
  browseSuite,
  searchSuite,
  jobsSuite,
  jobActionsSuite,
  currentValuesSuite,
  deliveriesSuite,
  // Before suites that make much: a backup has everything that there is.
  backupsSuite,
  operationsSuite,
  metricsSuite,
  bulkSuite,
  roundsSuite,
  pingsSuite,
  lateJobsSuite,
  refusalsSuite,
  replaySuite,
  thresholdsSuite,
  statesSuite,
  stateChangesSuite,
  flappingSuite,
  pastSuite,
  slosSuite,
  membershipSuite,
  revaluationsSuite,
  revaluationCalendarSuite,
  dependenciesSuite,
  alarmsSuite,
  slcsSuite,
  historySuite,
  historiesSuite,
  filesSuite,
  stylesSuite,
  telemetrySuite,
  consoleSuite,
  settingsSuite,
  translationsSuite,
  eventsSuite,
  statusPagesSuite,
  recipientsSuite,
  codeGeneratorSuite,
  scriptsSuite,
  scriptFilesSuite,
  scriptConfigurationsSuite,
  dataSourcesSuite,
  dataSourceNotesSuite,
  dataRowsSuite,
  dataDefinitionsSuite,
  dataFilesSuite,
  dataTablesSuite,
  dataScopesSuite,
  dataSourceConfigurationSuite,
  selectionSuite,
  exportsSuite,
  sharedResultsSuite,
  scopedReadsSuite,
  dataQueriesSuite,
  plansSuite,
  geoSuite,
  dataRefreshesSuite,
  dataQueryResultsSuite,
  dashboardsSuite,
  dataScriptRefreshesSuite,
  dashboardsDataSuite,
  dashboardsPortableSuite,
  publicDashboardsSuite,
  dashboardsRightsSuite,
  dashboardsRunsSuite,
  dashboardsFrozenSuite,
  forecastsSuite,
  runsSuite,
  webhooksSuite,
  packagesSuite,
  patchesSuite,
  demoSuite,
  // Last, because it holds what all of them changed against the record.
  auditSuite,
]

const START_MAX_MS = 180_000
/** Enough for a dozen slow hashes on a busy machine. */
const SCENARIO_MAX_MS = 180_000

type Variables = Readonly<Record<string, string>>

/** Declares the tests of suites on a host, with a directory, an OpenID Connect provider and a translator beside it.
 * All suites together must see each good answer that the OpenAPI document promises. Hosts run the same bundle: Bun
 * runs every scenario, other hosts one example of each thing that is decided above the ports. */
export function testInterface(
  hostName: string,
  start: (variables: Variables) => Promise<Host>,
  suites: readonly Suite[] = SUITES,
): void {
  const translator = startTranslator()
  afterAll(() => translator.close())

  let slapd: Slapd | null = null
  beforeAll(async () => {
    if (hasSlapd) slapd = await startSlapd(DIRECTORY)
  }, START_MAX_MS)
  afterAll(() => slapd?.close())

  describe(`the interface on ${hostName}`, () => {
    let client: Client

    beforeAll(async () => {
      const { variables } = await oidcProvider()
      const others = {
        TIDEMARK_TRANSLATION_URL: translator.url,
        TIDEMARK_RUNNER_TOKEN: RUNNER_TOKEN,
        ...slapd?.variables,
        ...(hasSourceServer ? await startSourceServer() : {}),
      }
      client = await connect(await start({ ...variables, ...others }))
    }, START_MAX_MS)
    afterAll(() => client.host.close())
    afterAll(() => closeSourceServer())

    const isWhole = hostName === 'bun' || EVERY_ROW
    for (const { name, scenarios } of isWhole ? suites : oneOfEach(suites)) {
      describe(name, () => {
        for (const { title, run } of scenarios) test(title, () => run(client), SCENARIO_MAX_MS)
      })
    }

    if (suites !== SUITES) return

    test('the suites above saw every good answer that the OpenAPI document promises', () => {
      const promised = routesOfDocument(client.document)
        .flatMap(({ name, statuses }) => statuses.map((status) => ({ name: `${name} ${status}`, status })))
        .filter(({ status, name }) => status.startsWith('2') && (hasSlapd || !name.includes('/ldap/')))
        .filter(({ name }) => hasSourceServer || !name.endsWith('/columns 200'))
      expect(promised.length).toBeGreaterThan(20)
      expect(promised.map(({ name }) => name).filter((name) => !client.seen.has(name))).toEqual([])
    })
  })
}
