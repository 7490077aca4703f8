import { Hono } from 'hono'
import type { Context as HonoContext } from 'hono'
import * as z from 'zod'
import { noContent, ok } from '../../http/openapi-answers.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { contentTag, entityTag, isFresh, UNCHANGED } from '../../http/preconditions.ts'
import { EDITORS } from '../../http/roles.ts'
import { replacing } from '../../http/updates.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import { definitionBody } from './definition.ts'
import { dataRoutes } from './data/routes.ts'
import { grafanaRoutes } from './grafana/routes.ts'
import { groupRoutes } from './groups/routes.ts'
import { imageRoutes } from './images/routes.ts'
import { mailRoutes } from './mails/routes.ts'
import { nestedView } from './nested/schema.ts'
import { readNested } from './nested/service.ts'
import { permissionRoutes } from './permissions/routes.ts'
import { portableRoutes } from './portable/routes.ts'
import { publicDashboardRoutes, publicLinkRoutes } from './publics/routes.ts'
import { widgetRunRoutes } from './runs/routes.ts'
import {
  copyBody,
  dashboardBody,
  dashboardPath,
  dashboardView,
  deletionQuery,
  listQuery,
  moveBody,
  moveQuery,
  moveView,
  readQuery,
  summaryView,
  usesQuery,
  usesView,
} from './schema.ts'
import {
  checkDashboard,
  copyDashboard,
  createDashboard,
  deleteDashboard,
  detachDashboard,
  listDashboards,
  listDependents,
  moveDashboard,
  previewMove,
  readDashboard,
  readStart,
  updateDashboard,
} from './service.ts'
import { listUses } from './service/dependents.ts'
import { snapshotRoutes } from './snapshots/routes.ts'
import { translateRoutes } from './translate/routes.ts'
import { versionRoutes } from './versions/routes.ts'

/** The maximum size of a dashboard with its definition. */
const BODY_MAX_BYTES = 1024 * 1024
const SMALL_MAX_BYTES = 16 * 1024

const oneDashboard = { 200: ok(dashboardView, 'The dashboard.', ['ETag']) }
const editing = { roles: EDITORS, answers: oneDashboard, refuses: [409, 412] } as const

let schemaOfDefinitions: Promise<{ readonly text: string; readonly etag: string }> | null = null

async function readSchema() {
  const text = JSON.stringify(
    z.toJSONSchema(definitionBody, { target: 'draft-2020-12', io: 'input', unrepresentable: 'any' }),
  )
  return { text, etag: await contentTag(text) }
}

type Versioned = Awaited<ReturnType<typeof readDashboard>>

const tagged = (c: HonoContext<Env>, { view, version }: Versioned) =>
  c.json(view, 200, { etag: entityTag(version) })

const created = (c: HonoContext<Env>, { view, version }: Versioned) =>
  c.json(view, 201, {
    location: `${c.get('ports').settings.basePath}/dashboards/${view.id}`,
    etag: entityTag(version),
  })

const readingRoutes = new Hono<Env>()
  .get(
    '/dashboards',
    policy({
      summary: 'List the dashboards that you may read, without their definitions',
      roles: 'signed-in',
      answers: { 200: ok(z.object({ items: z.array(summaryView) }), 'The dashboards; at most 5,000.') },
    }),
    valid('query', listQuery),
    async (c) => c.json({ items: await listDashboards(c.get('context'), c.req.valid('query')) }),
  )
  // Before `:id`.
  .get(
    '/dashboards/uses',
    policy({
      summary: 'List the widgets that show or use an object, a data query, a script, a dashboard or a file',
      roles: 'signed-in',
      answers: { 200: ok(usesView, 'The widgets; at most 100.') },
    }),
    valid('query', usesQuery),
    async (c) => c.json(await listUses(c.get('context'), c.req.valid('query'))),
  )
  .get(
    '/dashboards/start',
    policy({
      summary:
        'Read the dashboard that you see first: yours, else the one of the settings, else the first by name',
      roles: 'signed-in',
      answers: { 200: ok(summaryView, 'The dashboard, without its definition.') },
      refuses: [404],
    }),
    async (c) => c.json(await readStart(c.get('context'))),
  )
  .get(
    '/dashboards/schema',
    policy({
      summary: 'Read the JSON Schema of definitions of dashboards, for editors',
      roles: 'signed-in',
      answers: {
        200: ok(z.record(z.string(), z.unknown()), 'The schema, draft 2020-12.', ['ETag']),
        304: UNCHANGED,
      },
    }),
    async (c) => {
      const { text, etag } = await (schemaOfDefinitions ??= readSchema())
      if (isFresh(c.req.raw, etag)) return c.body(null, 304, { etag })
      return c.body(text, 200, { etag, 'content-type': 'application/json' })
    },
  )
  .route('/', snapshotRoutes)
  .route('/', groupRoutes)
  .route('/', permissionRoutes)
  .route('/', dataRoutes)
  .route('/', portableRoutes)
  .route('/', grafanaRoutes)
  .get(
    '/dashboards/:id',
    policy({
      summary: 'Read a dashboard in your language',
      roles: 'signed-in',
      answers: oneDashboard,
    }),
    valid('param', dashboardPath),
    valid('query', readQuery),
    async (c) =>
      tagged(c, await readDashboard(c.get('context'), c.req.valid('param').id, c.req.valid('query'))),
  )
  .get(
    '/dashboards/:id/nested',
    policy({
      summary: 'Read a dashboard with the dashboards that it embeds and the names of all that it shows',
      roles: 'signed-in',
      answers: { 200: ok(nestedView, 'The dashboard and its children.', ['ETag']), 304: UNCHANGED },
    }),
    valid('param', dashboardPath),
    valid('query', readQuery.omit({ raw: true })),
    async (c) => {
      const view = await readNested(c.get('context'), c.req.valid('param').id, c.req.valid('query'))
      const etag = await contentTag(JSON.stringify(view))
      if (isFresh(c.req.raw, etag)) return c.body(null, 304, { etag })
      return c.json(view, 200, { etag })
    },
  )
  .get(
    '/dashboards/:id/dependents',
    policy({
      summary: 'List the widgets of other dashboards that embed a dashboard or lead to it',
      roles: 'signed-in',
      answers: {
        200: ok(usesView, 'The widgets; at most 100.'),
      },
    }),
    valid('param', dashboardPath),
    async (c) => c.json(await listDependents(c.get('context'), c.req.valid('param').id)),
  )

const changingRoutes = new Hono<Env>()
  .post(
    '/dashboards',
    policy({
      summary: 'Create a dashboard',
      roles: EDITORS,
      answers: { 201: ok(dashboardView, 'The new dashboard.', ['Location', 'ETag']) },
      refuses: [409],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', dashboardBody),
    async (c) => created(c, await createDashboard(c.get('context'), c.req.valid('json'))),
  )
  .post(
    '/dashboards/validate',
    policy({
      summary: 'Check a new dashboard, and store nothing',
      roles: EDITORS,
      scope: 'read',
      answers: { 204: { description: 'The dashboard could be created.' } },
      refuses: [409],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', dashboardBody),
    async (c) => {
      await checkDashboard(c.get('context'), c.req.valid('json'))
      return c.body(null, 204)
    },
  )
  .route(
    '/',
    replacing({
      path: '/dashboards/:id',
      place: dashboardPath,
      body: dashboardBody,
      namesVersion: true,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary: 'Replace a dashboard',
      noun: 'a dashboard',
      policy: editing,
      read: (context, { id }) => readDashboard(context, id, { raw: true }),
      write: (context, { id }, change) => updateDashboard(context, id, change),
    }),
  )
  .delete(
    '/dashboards/:id',
    policy({
      summary: 'Delete a dashboard with its versions; forceDelete=true deletes it even if others refer to it',
      roles: EDITORS,
      answers: { 204: noContent },
      refuses: [409, 412],
    }),
    valid('param', dashboardPath),
    valid('query', deletionQuery),
    async (c) => {
      const isForced = c.req.valid('query').forceDelete
      await deleteDashboard(c.get('context'), c.req.valid('param').id, { isForced })
      return c.body(null, 204)
    },
  )
  .post(
    '/dashboards/:id/detach',
    policy({
      summary: 'End the management of a dashboard as code, so that other routes change it again',
      roles: EDITORS,
      answers: oneDashboard,
      refuses: [412],
    }),
    valid('param', dashboardPath),
    async (c) => tagged(c, await detachDashboard(c.get('context'), c.req.valid('param').id)),
  )
  .post(
    '/dashboards/:id/copy',
    policy({
      summary: 'Copy a dashboard',
      roles: EDITORS,
      answers: { 201: ok(dashboardView, 'The copy.', ['Location', 'ETag']) },
      refuses: [409],
    }),
    valid('param', dashboardPath),
    jsonBody(SMALL_MAX_BYTES),
    valid('json', copyBody),
    async (c) =>
      created(c, await copyDashboard(c.get('context'), c.req.valid('param').id, c.req.valid('json'))),
  )
  .get(
    '/dashboards/:id/move',
    policy({
      summary: 'Read whose rights a move of a dashboard to another group would change',
      roles: EDITORS,
      answers: { 200: ok(moveView, 'The users and user groups whose rights would change.') },
    }),
    valid('param', dashboardPath),
    valid('query', moveQuery),
    async (c) => {
      const { groupId = null } = c.req.valid('query')
      return c.json(await previewMove(c.get('context'), c.req.valid('param').id, groupId))
    },
  )
  .post(
    '/dashboards/:id/move',
    policy({
      summary: 'Move a dashboard to another group',
      roles: EDITORS,
      answers: oneDashboard,
      refuses: [412],
    }),
    valid('param', dashboardPath),
    jsonBody(SMALL_MAX_BYTES),
    valid('json', moveBody),
    async (c) => {
      const { groupId } = c.req.valid('json')
      return tagged(c, await moveDashboard(c.get('context'), c.req.valid('param').id, groupId))
    },
  )

export const dashboardRoutes = new Hono<Env>()
  .route('/', readingRoutes)
  .route('/', changingRoutes)
  .route('/', versionRoutes)
  .route('/', translateRoutes)
  .route('/', publicLinkRoutes)
  .route('/', widgetRunRoutes)
  .route('/', imageRoutes)
  .route('/', mailRoutes)
  .route('/', publicDashboardRoutes)
