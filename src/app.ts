import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { matchedRoutes, routePath } from 'hono/route'
import { getPath } from 'hono/utils/url'
import * as z from 'zod'
import { auditRoutes } from './access/audit/routes.ts'
import { directoryRoutes } from './access/directory/routes.ts'
import { oidcRoutes } from './access/oidc/routes.ts'
import { sessionRoutes } from './access/session/routes.ts'
import { authenticateUser } from './access/session/service/authenticate.ts'
import type { SetupHooks } from './access/session/service/first-start.ts'
import { userGroupRoutes } from './access/user-groups/routes.ts'
import { userRoutes } from './access/users/routes.ts'
import { dashboardRoutes } from './analytics/dashboards/routes.ts'
import { forecastsStale } from './analytics/forecasts/service/health.ts'
import { forecastRoutes } from './analytics/forecasts/routes.ts'
import { codeGeneratorRoutes } from './automation/code-generator/routes.ts'
import { demoRoutes } from './automation/demo/routes.ts'
import { continueInBackground, demoWrites } from './automation/demo/service.ts'
import { packageRoutes } from './automation/packages/routes.ts'
import { runRoutes } from './automation/runs/routes.ts'
import { authenticateRunner, scriptHealth } from './automation/runs/runners/service.ts'
import { warnOfIdleRunners } from './automation/runs/runners/service/health.ts'
import { scriptRoutes } from './automation/scripts/routes.ts'
import { webhookRoutes } from './automation/webhooks/routes.ts'
import { scriptsWithoutUser } from './automation/webhooks/service/health.ts'
import { backupRoutes } from './content/backups/routes.ts'
import type { RestoreHooks } from './content/backups/hooks.ts'
import { restoreUnfinished } from './content/backups/service/health.ts'
import { fileRoutes } from './content/files/routes.ts'
import { settingsRoutes } from './content/settings/routes.ts'
import { languageWrites } from './content/settings/service.ts'
import { styleRoutes } from './content/styles/routes.ts'
import { translationRoutes } from './content/translations/routes.ts'
import { importRoutes } from './data/imports/routes.ts'
import { configurationRoutes } from './data/configuration/routes.ts'
import { definitionRoutes } from './data/definitions/routes.ts'
import { geoRoutes } from './data/geo/routes.ts'
import { rowRoutes } from './data/rows/routes.ts'
import { refreshRoutes } from './data/refreshes/routes.ts'
import { refreshesFailed, refreshesLate } from './data/refreshes/service/health.ts'
import { scopeRoutes } from './data/scopes/routes.ts'
import { planRoutes } from './data/plans/routes.ts'
import { queryRoutes } from './data/queries/routes.ts'
import { selectionRoutes } from './data/selection/routes.ts'
import { dataSourceRoutes } from './data/sources/routes.ts'
import { abandonGeneration, beginGeneration, fillGeneration } from './data/tables/service.ts'
import { withAccessLog } from './http/access-log.ts'
import { fastRoute } from './http/fast-path/fast-route.ts'
import { noRouteResponse } from './http/no-route.ts'
import { openApiDocument } from './http/openapi.ts'
import { policy, policyOf, routesOf } from './http/policy.ts'
import type { Authenticators, Env, Route } from './http/policy.ts'
import { failureResponse } from './http/problem.ts'
import { recorded } from './http/request-figures.ts'
import { responseHeaders } from './http/response-headers.ts'
import { withTraces } from './http/tracing.ts'
import { malformedJson } from './http/valid.ts'
import type { Context } from './context.ts'
import { alarmFigures } from './monitoring/alarms/service.ts'
import { alarmRoutes } from './monitoring/alarm-inbox/routes.ts'
import { dependencyRoutes } from './monitoring/dependencies/routes.ts'
import { eventRoutes } from './monitoring/events/routes.ts'
import { fastBulk } from './monitoring/jobs/bulk/routes.ts'
import { fastDelivery, jobRoutes } from './monitoring/jobs/routes.ts'
import { FIRST_NAMES } from './monitoring/jobs/service/first-job.ts'
import { applyChanges } from './monitoring/job-config/service.ts'
import { metricsRoutes } from './monitoring/metrics/routes.ts'
import { pausing } from './monitoring/notifications/outbox/service.ts'
import { notificationRoutes } from './monitoring/notifications/routes.ts'
import {
  warnOfUnlinkedAlarms,
  notificationFigures,
  notificationsAreDead,
  notificationsPaused,
  warnOfUnreachableRecipients,
} from './monitoring/notifications/service/health.ts'
import { outageRoutes } from './monitoring/outages/routes.ts'
import { revaluationRoutes } from './monitoring/revaluations/routes.ts'
import { slcRoutes } from './monitoring/slcs/routes.ts'
import { sloRoutes } from './monitoring/slos/routes.ts'
import { stateHistoryRoutes } from './monitoring/state-history/routes.ts'
import { statusPageRoutes } from './monitoring/status-pages/routes.ts'
import { treeRoutes } from './monitoring/tree/routes.ts'
import { historyRoutes } from './monitoring/value-history/routes.ts'
import { consoleRoutes } from './operations/console/routes.ts'
import { healthRoutes } from './operations/health/routes.ts'
import { telemetryRoutes } from './operations/telemetry/routes.ts'
import type { FigureReports } from './operations/telemetry/service.ts'
import { operationRoutes } from './operations/work/routes.ts'
import type { HealthReports } from './operations/health/service.ts'
import { clockIsBehind, limitsAreUnknown } from './operations/health/service/ingest.ts'
import type { Ports } from './ports/index.ts'

export type Handle = (request: Request) => Response | Promise<Response>

/** The application: a function of requests, and the list of its routes. */
export type App = {
  readonly fetch: Handle
  readonly routes: readonly Route[]
}

/** The checks of the rooms for `GET /readyz`. */
export const healthReports: HealthReports = {
  scripts: scriptHealth,
  warnings: [
    warnOfUnlinkedAlarms,
    warnOfUnreachableRecipients,
    notificationsAreDead,
    notificationsPaused,
    restoreUnfinished,
    scriptsWithoutUser,
    warnOfIdleRunners,
    clockIsBehind,
    limitsAreUnknown,
    refreshesFailed,
    refreshesLate,
    forecastsStale,
  ],
}

/** The figures that rooms report to `GET /metrics`. */
const figureReports: FigureReports = { scripts: scriptHealth, rooms: [alarmFigures, notificationFigures] }

/** The functions of higher rooms that a set-up calls. */
export const setupHooks: SetupHooks = {
  languageWrites,
  demoWrites: (context) => demoWrites(context),
  continueDemo: continueInBackground,
}

/** The parts of monitoring and data in a restore. */
export const restoreHooks: RestoreHooks = {
  firstNames: FIRST_NAMES,
  pauseNotifications: pausing,
  beginGeneration,
  fillGeneration,
  abandonGeneration,
  applyJobConfigs: applyChanges,
}

/** The rooms that have routes, in the order of the table of rooms in `src/README.md`. The first route that matches answers. */
export const ROOMS: Readonly<Record<string, Hono<Env>>> = {
  'access/session': sessionRoutes(setupHooks),
  'access/oidc': oidcRoutes,
  'access/users': userRoutes,
  'access/user-groups': userGroupRoutes,
  'access/directory': directoryRoutes,
  'access/audit': auditRoutes,
  'operations/health': healthRoutes(healthReports),
  'operations/telemetry': telemetryRoutes(figureReports),
  'operations/console': consoleRoutes,
  'operations/work': operationRoutes,
  'content/files': fileRoutes,
  'content/styles': styleRoutes,
  'content/translations': translationRoutes,
  'content/backups': backupRoutes(restoreHooks),
  'content/settings': settingsRoutes,
  'monitoring/tree': treeRoutes,
  'monitoring/jobs': jobRoutes,
  'monitoring/metrics': metricsRoutes,
  'monitoring/slos': sloRoutes,
  'monitoring/slcs': slcRoutes,
  'monitoring/dependencies': dependencyRoutes,
  'monitoring/alarm-inbox': alarmRoutes,
  'monitoring/value-history': historyRoutes,
  'monitoring/events': eventRoutes,
  'monitoring/status-pages': statusPageRoutes,
  'monitoring/state-history': stateHistoryRoutes,
  'monitoring/revaluations': revaluationRoutes,
  'monitoring/notifications': notificationRoutes,
  'monitoring/outages': outageRoutes,
  'data/sources': dataSourceRoutes,
  'data/imports': importRoutes,
  'data/scopes': scopeRoutes,
  'data/configuration': configurationRoutes,
  'data/selection': selectionRoutes,
  'data/rows': rowRoutes,
  'data/definitions': definitionRoutes,
  'data/refreshes': refreshRoutes,
  'data/queries': queryRoutes,
  'data/plans': planRoutes,
  'data/geo': geoRoutes,
  // `/scripts/codeGenerator` and the like must be registered before `/scripts/:script`.
  'automation/code-generator': codeGeneratorRoutes,
  'automation/demo': demoRoutes,
  'automation/packages': packageRoutes,
  'automation/webhooks': webhookRoutes,
  'automation/scripts': scriptRoutes,
  'automation/runs': runRoutes,
  'analytics/dashboards': dashboardRoutes,
  'analytics/forecasts': forecastRoutes,
}

/** Finds the caller of a request: users in `access`, script runners in `automation`. */
export const authenticators: Authenticators = { user: authenticateUser, runner: authenticateRunner }

/** The functions of a host around the handlers of requests. */
export type Around = {
  /** Around all but single deliveries: when they begin. */
  readonly spread: (handle: Handle) => Handle
  /** Around all but deliveries, whose answers have `Ports.textBody`: the form in which answers leave. */
  readonly send: (handle: Handle) => Handle
}

const NOTHING_AROUND: Around = { spread: (handle) => handle, send: (handle) => handle }

/** Builds the application from its ports, once per process or isolate.
 * @throws {Error} when a route names no policy */
export function createApp(ports: Ports, { spread, send }: Around = NOTHING_AROUND): App {
  const app = new Hono<Env>({
    getPath: (request) => inPlural(withoutBase(getPath(request), ports.settings.basePath)),
  })
  app.use(responseHeaders(ports, authenticators))
  for (const room of Object.values(ROOMS)) app.route('/', room)

  let document: object | null = null
  app.get(
    '/openapi.json',
    policy({
      summary: 'Read this OpenAPI document',
      roles: 'anyone',
      answers: { 200: { description: 'This document.', schema: z.looseObject({ openapi: z.string() }) } },
    }),
    (c) => c.json((document ??= openApiDocument(app, ports.settings.basePath))),
  )

  const routes = routesOf(app)
  app.notFound((c) => noRouteResponse(c, routes))
  app.onError(async (error, c) => {
    const cause = error instanceof HTTPException && error.status === 400 ? malformedJson() : error
    const rules = matchedRoutes(c).map(({ handler }) => policyOf(handler))
    const { refusal: reword, isDelivery, failed } = rules.find((rule) => rule !== undefined) ?? {}
    const context = c.get('context') as Context | undefined
    // Hono has the text of a body that a handler parsed.
    const input = failed && c.req.bodyCache.text ? c.req.json<unknown>() : null
    await failed?.({ ports, request: c.req.raw, error: cause, caller: context?.caller, input })
    const request = { requestId: c.get('requestId'), method: c.req.method, route: routePath(c), isDelivery }
    return failureResponse(cause, ports, request, reword && ((refusal) => reword(refusal, c.req.raw)))
  })

  const deliver = fastRoute({ ports, authenticators }, fastDelivery)
  const deliverBulk = fastRoute({ ports, authenticators }, fastBulk)
  const others = send((request) => recorded(ports, 'other', app.fetch(request)))
  const spreadOut = spread((request) => deliverBulk(request) ?? others(request))
  const logged = withAccessLog((request) => deliver(request) ?? spreadOut(request), ports)
  return { fetch: withTraces(logged, ports), routes }
}

/** The route of `/dataQuery/7`, which is another spelling of `/dataQueries/7`. */
function inPlural(path: string): string {
  return path.replace(/^\/dataQuery(?=\/)/, '/dataQueries')
}

function withoutBase(path: string, basePath: string): string {
  if (path === `${basePath}/ui`) return '/ui/'
  if (basePath === '') return path
  if (path === basePath) return '/'
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : '/\0'
}
