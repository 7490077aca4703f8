import { expect, test } from 'bun:test'

import { changedFields } from '../../kit/versions.ts'
import { scriptDraftOf, scriptFaultOf, scriptPatchOf } from './script-draft.ts'

const SCRIPT = {
  name: 'orders',
  description: 'reads orders',
  groupId: 3,
  timeout: 0,
  acceptedFiles: ['text/csv'],
} as const
const draft = scriptDraftOf({ ...SCRIPT, acceptedFiles: [...SCRIPT.acceptedFiles] })

test('a script without a timeout has an empty one in the form', () => {
  expect(draft.timeout).toBe('')
  expect(scriptDraftOf({ ...SCRIPT, acceptedFiles: [], timeout: 60 }).timeout).toBe('60')
})

test('only changed fields are sent, with numbers as numbers', () => {
  const after = { ...draft, groupId: '4', timeout: '90', description: '' }
  expect(scriptPatchOf(changedFields(draft, after))).toEqual({ groupId: 4, timeout: 90, description: '' })
  expect(scriptPatchOf(changedFields({ ...draft, timeout: '90' }, draft))).toEqual({ timeout: 0 })
  expect(scriptPatchOf(changedFields(draft, draft))).toEqual({})
})

test('a draft without a name, or with a timeout that is not a whole number, cannot be saved', () => {
  expect(scriptFaultOf(draft)).toBeUndefined()
  expect(scriptFaultOf({ ...draft, name: ' ' })).toBe('scripts.needsName')
  for (const timeout of ['1.5', '-1', 'ten'])
    expect(scriptFaultOf({ ...draft, timeout })).toBe('scripts.badTimeout')
})
