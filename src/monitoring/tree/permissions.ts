import type { Caller } from '../../context.ts'

export type Permissions = { readonly read: boolean; readonly write: boolean; readonly execute: boolean }
export type Right = keyof Permissions

const NOTHING: Permissions = { read: false, write: false, execute: false }
const READ: Permissions = { read: true, write: false, execute: false }
const EVERYTHING: Permissions = { read: true, write: true, execute: true }

/** What the caller may do with an object. `collectorId` is the collector that runs it, 0 for any: a job without one of
 * its own has its device's. */
export function permissionsOf(caller: Caller, object: { type: string; collectorId: number }): Permissions {
  if (caller.kind === 'nobody') return NOTHING
  switch (caller.role) {
    case 'administrator':
    case 'editor':
      return EVERYTHING
    case 'collector': {
      const runs = object.collectorId === 0 || object.collectorId === caller.userId
      return { ...READ, execute: runs && (object.type === 'device' || object.type === 'job') }
    }
    case 'Data_Editor':
    case 'dashboard_viewer':
      return READ
  }
}
