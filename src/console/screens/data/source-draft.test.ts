import { expect, test } from 'bun:test'

import { bodyOf, draftOf, isComplete, withType } from './source-draft.ts'
import type { Source } from './sources.ts'

const STORED: Source = {
  id: 3,
  name: 'Shop',
  description: '',
  type: 'postgresql',
  readOnly: false,
  timeout: 'PT1M30S',
  scopeMode: 'native',
  connection: {
    host: 'db.example',
    port: 6000,
    database: 'shop',
    schema: 'sales',
    user: 'reader',
    passwordSet: true,
    tls: 'require',
    ca: null,
    maxConnections: 4,
  },
  comment: null,
  annotations: {},
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
}

test('a stored source becomes the same body, without its password', () => {
  const { host, port, database, schema, user, tls, ca, maxConnections } = STORED.connection ?? {}
  expect(bodyOf(draftOf(STORED))).toEqual({
    name: 'Shop',
    description: '',
    type: 'postgresql',
    readOnly: false,
    timeout: 'PT90S',
    scopeMode: 'native',
    connection: { host, port, database, schema, user, tls, ca, maxConnections },
  })
})

test('an empty password removes the stored one, and a typed one is sent', () => {
  const draft = draftOf(STORED)
  expect(bodyOf({ ...draft, password: '' })).toHaveProperty('connection.password', null)
  expect(bodyOf({ ...draft, password: 'secret' })).toHaveProperty('connection.password', 'secret')
})

test('another type has its usual port, unless the port is an own one, and no schema', () => {
  expect(withType(draftOf(undefined), 'mysql')).toMatchObject({ port: '3306', schema: '' })
  expect(withType(draftOf(STORED), 'mysql')).toMatchObject({
    port: '6000',
    schema: '',
    scopeMode: 'filters',
  })
})

test('certificates are sent only where they are checked', () => {
  const draft = { ...draftOf(STORED), ca: 'PEM' }
  expect(bodyOf(draft)).toHaveProperty('connection.ca', null)
  expect(bodyOf({ ...draft, tls: 'verify-full' })).toHaveProperty('connection.ca', 'PEM')
})

test('a set of imported tables has no connection and needs a name alone', () => {
  const files = withType({ ...draftOf(undefined), name: 'Files' }, 'csv')
  expect(bodyOf(files)).toMatchObject({ type: 'csv', connection: null })
  expect(isComplete(files)).toBe(true)
  expect(isComplete({ ...files, type: 'mysql' })).toBe(false)
  expect(isComplete({ ...files, name: ' ' })).toBe(false)
})
