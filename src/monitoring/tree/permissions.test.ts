import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'

import { ROLES } from '../../context.ts'
import type { Caller, Role } from '../../context.ts'
import { permissionsOf } from './permissions.ts'

const caller = (role: Role, userId = 7): Caller => ({
  kind: 'user',
  userId,
  username: 'x',
  role,
  sessionHash: null,
})

describe('permissions', () => {
  const rows: [Role, { type: string; collectorId: number }, string][] = [
    ['administrator', { type: 'group', collectorId: 0 }, 'rwx'],
    ['editor', { type: 'job', collectorId: 9 }, 'rwx'],
    ['collector', { type: 'job', collectorId: 7 }, 'rx'],
    ['collector', { type: 'device', collectorId: 0 }, 'rx'],
    ['collector', { type: 'job', collectorId: 9 }, 'r'],
    ['collector', { type: 'group', collectorId: 0 }, 'r'],
    ['Data_Editor', { type: 'job', collectorId: 7 }, 'r'],
    ['dashboard_viewer', { type: 'device', collectorId: 0 }, 'r'],
  ]
  for (const [role, object, expected] of rows) {
    test(`${role} has ${expected} on a ${object.type} of collector ${object.collectorId}`, () => {
      const { read, write, execute } = permissionsOf(caller(role), object)
      expect(`${read ? 'r' : ''}${write ? 'w' : ''}${execute ? 'x' : ''}`).toBe(expected)
    })
  }

  test('nobody has any, and nobody writes who does not also read', () => {
    const objects = fc.record({ type: fc.constantFrom('group', 'device', 'job'), collectorId: fc.nat(9) })
    fc.assert(
      fc.property(objects, fc.constantFrom(...ROLES), (object, role) => {
        expect(permissionsOf({ kind: 'nobody' }, object)).toEqual({
          read: false,
          write: false,
          execute: false,
        })
        const { read, write, execute } = permissionsOf(caller(role), object)
        expect(read || (!write && !execute)).toBe(true)
      }),
    )
  })
})
