import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { matchedRoutes, routePath } from 'hono/route'
import { getPath } from 'hono/utils/url'
import * as z from 'zod'
import { auditRoutes } from './access/audit/routes.ts'
import { oidcRoutes } from './access/oidc/routes.ts'
import { directoryRoutes } from './access/directory/routes.ts'
import { authenticateUser } from './access/session/service/authenticate.ts'
import { sessionRoutes } from './access/session/routes.ts'
import { userGroupRoutes } from './access/user-groups/routes.ts'
import { userRoutes } from './access/users/routes.ts'
import { dataSourceRoutes } from './data/sources/routes.ts'
import { authenticateRunner } from './automation/runs/runners/service.ts'
import { runRoutes } from './automation/runs/routes.ts'
import { packageRoutes } from './automation/packages/routes.ts'
import { scriptRoutes } from './automation/scripts/routes.ts'
import { codeGeneratorRoutes } from './automation/code-generator/routes.ts'
import { backupRoutes } from './content/backups/routes.ts'
import { webhookRoutes } from './automation/webhooks/routes.ts'
import { fileRoutes } from './content/files/routes.ts'
import { settingsRoutes } from './content/settings/routes.ts'
import { styleRoutes } from './content/styles/routes.ts'
import { translationRoutes } from './content/translations/routes.ts'
import { healthRoutes } from './operations/health/routes.ts'
import { withAccessLog } from './http/access-log.ts'
import { noRoute } from './http/no-route.ts'
import { openApiDocument } from './http/openapi.ts'
import { policy, policyOf, routesOf } from './http/policy.ts'
import type { Authenticators, Env, Route } from './http/policy.ts'
import { failureResponse, problemResponse } from './http/problem.ts'
import { malformedJson } from './http/valid.ts'
import { fastRoute } from './http/fast-path/fast-route.ts'
import { responseHeaders } from './http/response-headers.ts'
import { alarmRoutes } from './monitoring/alarm-inbox/routes.ts'
import { dependencyRoutes } from './monitoring/dependencies/routes.ts'
import { eventRoutes } from './monitoring/events/routes.ts'
import { historyRoutes } from './monitoring/value-history/routes.ts'
import { fastBulk } from './monitoring/jobs/bulk/routes.ts'
import { fastDelivery, jobRoutes } from './monitoring/jobs/routes.ts'
import { notificationRoutes } from './monitoring/notifications/outbox/routes.ts'
import { recipientRoutes } from './monitoring/notifications/recipients/routes.ts'
import { outageRoutes } from './monitoring/outages/routes.ts'
import { revaluationRoutes } from './monitoring/revaluations/routes.ts'
import { slcRoutes } from './monitoring/slcs/routes.ts'
import { sloRoutes } from './monitoring/slos/routes.ts'
import { stateHistoryRoutes } from './monitoring/state-history/routes.ts'
import { statusPageRoutes } from './monitoring/status-pages/routes.ts'
import { metricsRoutes } from './monitoring/metrics/routes.ts'
import { treeRoutes } from './monitoring/tree/routes.ts'
import type { Ports } from './ports/index.ts'

export type Handle = (request: Request) => Response | Promise<Response>

/** The application: a function of requests, and its routes for whoever wants to list them. */
export type App = {
  readonly fetch: Handle
  readonly routes: readonly Route[]
}

/** Finds the caller of a request: users in `access`, script runners in `automation`. */
export const authenticators: Authenticators = { user: authenticateUser, runner: authenticateRunner }

/** Builds the application from its ports, once per process or isolate.
 * @param around what a host puts around all but single deliveries: when they begin, how their answers leave
 * @throws {Error} when a route names no policy */
export function createApp(ports: Ports, around: (handle: Handle) => Handle = (handle) => handle): App {
  const app = new Hono<Env>({ getPath: (request) => withoutBase(getPath(request), ports.settings.basePath) })
  app.use(responseHeaders(ports, authenticators))

  app.route('/', healthRoutes)
  app.route('/', sessionRoutes)
  app.route('/', oidcRoutes)
  app.route('/', userRoutes)
  app.route('/', userGroupRoutes)
  app.route('/', directoryRoutes)
  app.route('/', auditRoutes)
  app.route('/', treeRoutes)
  app.route('/', jobRoutes)
  app.route('/', sloRoutes)
  app.route('/', slcRoutes)
  app.route('/', metricsRoutes)
  app.route('/', historyRoutes)
  app.route('/', stateHistoryRoutes)
  app.route('/', outageRoutes)
  app.route('/', revaluationRoutes)
  app.route('/', dependencyRoutes)
  app.route('/', fileRoutes)
  app.route('/', styleRoutes)
  app.route('/', dataSourceRoutes)
  // What is called as a script may be called comes before scripts.
  app.route('/', codeGeneratorRoutes)
  app.route('/', packageRoutes)
  app.route('/', webhookRoutes)
  app.route('/', scriptRoutes)
  app.route('/', eventRoutes)
  app.route('/', recipientRoutes)
  app.route('/', translationRoutes)
  app.route('/', settingsRoutes)
  app.route('/', backupRoutes)
  app.route('/', statusPageRoutes)
  app.route('/', alarmRoutes)
  app.route('/', notificationRoutes)
  app.route('/', runRoutes)

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
  app.notFound((c) => problemResponse(...noRoute(c, routes)))
  app.onError((error, c) => {
    const cause = error instanceof HTTPException && error.status === 400 ? malformedJson() : error
    const rules = matchedRoutes(c).map(({ handler }) => policyOf(handler))
    const { refusal: reword, isDelivery } = rules.find((rule) => rule !== undefined) ?? {}
    const request = { requestId: c.get('requestId'), method: c.req.method, route: routePath(c), isDelivery }
    return failureResponse(cause, ports, request, reword && ((refusal) => reword(refusal, c.req.raw)))
  })

  const deliver = fastRoute({ ports, authenticators }, fastDelivery)
  const deliverBulk = fastRoute({ ports, authenticators }, fastBulk)
  const others = around((request) => deliverBulk(request) ?? app.fetch(request))
  return { fetch: withAccessLog((request) => deliver(request) ?? others(request), ports), routes }
}

function withoutBase(path: string, basePath: string): string {
  if (basePath === '') return path
  if (path === basePath) return '/'
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : '/\0'
}
