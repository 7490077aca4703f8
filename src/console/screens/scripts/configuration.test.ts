import { expect, test } from 'bun:test'

import { bodyOf, draftOf, faultOf, NEW_DRAFT } from './configuration.ts'
import type { Configuration } from './script.ts'

const stored: Configuration = {
  id: 5,
  name: 'nightly',
  isDefault: true,
  timeout: null,
  kind: 'standard',
  arguments: ['--since', 'two words'],
  concurrency: 'queue',
  retries: 1,
  runnerLabels: ['linux'],
  envVariables: [
    { key: 'REGION', value: 'eu' },
    { key: 'DB_PASSWORD', secret: true, valueSet: true },
  ],
  reportTo: { jobId: 7 },
  network: ['db.example.org:5432'],
  database: null,
  filesystem: null,
  changedBy: 1,
  createdAt: '2026-11-25T12:00:00Z',
  updatedAt: '2026-11-25T12:00:00Z',
}

test('a draft of a configuration sends the configuration back, and a secret without its value', () => {
  expect(bodyOf(draftOf(stored))).toEqual({
    name: 'nightly',
    isDefault: true,
    timeout: null,
    kind: 'standard',
    arguments: ['--since', 'two words'],
    concurrency: 'queue',
    retries: 1,
    runnerLabels: ['linux'],
    envVariables: [
      { key: 'REGION', value: 'eu', secret: false },
      { key: 'DB_PASSWORD', secret: true },
    ],
    reportTo: { jobId: 7 },
    network: ['db.example.org:5432'],
    database: null,
    filesystem: null,
  })
})

test('only changed fields are sent; the parts of a kind go together', () => {
  const draft = { ...draftOf(stored), kind: 'database' as const, dataSourceId: '4', timeout: '60' }
  expect(bodyOf(draft, ['timeout'])).toEqual({ timeout: 60 })
  expect(bodyOf(draft, ['kind', 'dataSourceId'])).toEqual({
    kind: 'database',
    database: { dataSourceId: 4, access: 'read' },
    filesystem: null,
  })
  const variables = [{ key: 'DB_PASSWORD', text: 'new', isSecret: true, isSet: true }]
  expect(bodyOf({ ...draft, variables }, ['variables'])).toEqual({
    envVariables: [{ key: 'DB_PASSWORD', secret: true, value: 'new' }],
  })
})

test('empty lines at the end are no arguments, others are', () => {
  expect(bodyOf({ ...NEW_DRAFT, arguments: 'a\n\nb\n\n' }, ['arguments'])).toEqual({
    arguments: ['a', '', 'b'],
  })
  expect(bodyOf(NEW_DRAFT, ['arguments', 'runnerLabels'])).toEqual({ arguments: [], runnerLabels: [] })
})

test('a draft with a fault names it', () => {
  const named = { ...NEW_DRAFT, name: 'x' }
  expect(faultOf(NEW_DRAFT)).toBe('scripts.needsName')
  expect(faultOf(named)).toBeUndefined()
  expect(faultOf({ ...named, timeout: '1.5' })).toBe('scripts.badTimeout')
  expect(faultOf({ ...named, retries: '-1' })).toBe('scripts.badRetries')
  expect(faultOf({ ...named, kind: 'database' })).toBe('scripts.needsSource')
  expect(faultOf({ ...named, kind: 'filesystem', paths: '\n' })).toBe('scripts.needsPaths')
  const variables = [{ key: '', text: '', isSecret: false, isSet: false }]
  expect(faultOf({ ...named, variables })).toBe('scripts.needsKey')
})
