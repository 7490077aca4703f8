import { Hono } from 'hono'
import * as z from 'zod'
import { flagQuery, idPath, noContent, ok } from '../../http/openapi-answers.ts'
import { entityTag } from '../../http/preconditions.ts'
import { MERGE_PATCH, mergePatch } from '../../http/merge-patch.ts'
import { policy } from '../../http/policy.ts'
import type { Env } from '../../http/policy.ts'
import { ADMINISTRATOR } from '../../http/roles.ts'
import { patching, replacing } from '../../http/updates.ts'
import { jsonBody, valid } from '../../http/valid.ts'
import {
  columnPath,
  databaseBody,
  dataSourceBody,
  dataSourceView,
  READERS,
  sourceTestView,
  syncView,
  tablePath,
} from './schema.ts'
import { commentBody, noteView } from './notes.ts'
import {
  createDataSource,
  deleteDataSource,
  listDataSources,
  readDataSource,
  updateDataSource,
} from './service.ts'
import { syncSchema } from './service/catalogue.ts'
import { testDataSource } from './service/connect.ts'
import { patchAnnotations, writeComment } from './service/notes.ts'

const BODY_MAX_BYTES = 64 * 1024
const oneSource = { 200: ok(dataSourceView, 'The data source.', ['ETag']) }

/** The routes of the comment and the annotations on a data source, a table or a column. */
function notesOn<Place extends typeof idPath>(path: string, place: Place, noun: string) {
  const shared = {
    roles: ADMINISTRATOR,
    scope: 'administration',
    answers: { 200: ok(noteView, `The comment and the annotations on ${noun}, as listings show them.`) },
    refuses: [409, 422],
  } as const
  return new Hono<Env>()
    .put(
      `${path}/comment`,
      policy({ ...shared, summary: `Set the comment on ${noun}` }),
      valid('param', place),
      jsonBody(BODY_MAX_BYTES),
      valid('json', commentBody),
      async (c) => c.json(await writeComment(c.get('context'), c.req.valid('param'), c.req.valid('json'))),
    )
    .put(
      `${path}/annotations`,
      policy({ ...shared, ...patching('the annotations'), summary: `Change annotations on ${noun}` }),
      valid('param', place),
      jsonBody(BODY_MAX_BYTES, MERGE_PATCH),
      valid('json', mergePatch),
      async (c) =>
        c.json(await patchAnnotations(c.get('context'), c.req.valid('param'), c.req.valid('json'))),
    )
}

export const dataSourceRoutes = new Hono<Env>()
  .get(
    '/dataSources',
    policy({
      summary: 'List data sources, without their passwords',
      roles: READERS,
      answers: {
        200: ok(z.object({ items: z.array(dataSourceView) }), 'The data sources, by name; at most 200.'),
      },
    }),
    async (c) => c.json({ items: await listDataSources(c.get('context')) }),
  )
  .post(
    '/dataSources',
    policy({
      summary: 'Create a data source',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: { 201: ok(dataSourceView, 'The new data source.', ['Location', 'ETag']) },
      refuses: [409],
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', dataSourceBody),
    async (c) => {
      const { view, version } = await createDataSource(c.get('context'), c.req.valid('json'))
      const headers = { location: `${c.req.path}/${view.id}`, etag: entityTag(version) }
      return c.json(view, 201, headers)
    },
  )
  .post(
    '/dataSources/test',
    policy({
      summary: 'Test the connection of a data source, without creating it',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: { 200: ok(sourceTestView, 'The result of the test.') },
    }),
    jsonBody(BODY_MAX_BYTES),
    valid('json', databaseBody),
    async (c) => c.json(await testDataSource(c.get('context'), c.req.valid('json'))),
  )
  .post(
    '/dataSources/:id/syncSchema',
    policy({
      summary: 'Read the schema of a data source again, and list the tables that changed since the last sync',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: { 200: ok(syncView, 'The differences to the last sync.') },
      refuses: [422],
    }),
    valid('param', idPath),
    async (c) => c.json(await syncSchema(c.get('context'), c.req.valid('param').id)),
  )
  .route('/', notesOn('/dataSources/:id', idPath, 'the database of a data source'))
  .route('/', notesOn('/dataSources/:id/tables/:table', tablePath, 'a table of a data source'))
  .route(
    '/',
    notesOn('/dataSources/:id/tables/:table/columns/:column', columnPath, 'a column of a data source'),
  )
  .get(
    '/dataSources/:id',
    policy({ summary: 'Read a data source, without its password', roles: READERS, answers: oneSource }),
    valid('param', idPath),
    async (c) => {
      const { view, version } = await readDataSource(c.get('context'), c.req.valid('param').id)
      return c.json(view, 200, { etag: entityTag(version) })
    },
  )
  .route(
    '/',
    replacing({
      path: '/dataSources/:id',
      place: idPath,
      body: dataSourceBody,
      sizeMaxBytes: BODY_MAX_BYTES,
      summary:
        'Replace a data source; an absent password is unchanged, and another type is refused while data queries read it or it has imported tables',
      noun: 'a data source',
      policy: { roles: ADMINISTRATOR, scope: 'administration', answers: oneSource, refuses: [409, 412] },
      read: (context, { id }) => readDataSource(context, id),
      write: (context, { id }, change) => updateDataSource(context, id, change),
    }),
  )
  .delete(
    '/dataSources/:id',
    policy({
      summary:
        'Delete a data source; forceDelete=true deletes it even if run configurations or data queries use it',
      roles: ADMINISTRATOR,
      scope: 'administration',
      answers: { 204: noContent },
      refuses: [409, 412],
    }),
    valid('param', idPath),
    valid('query', z.object({ forceDelete: flagQuery.default(false) })),
    async (c) => {
      const isForced = c.req.valid('query').forceDelete
      await deleteDataSource(c.get('context'), c.req.valid('param').id, { isForced })
      return c.body(null, 204)
    },
  )
