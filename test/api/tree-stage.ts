import type { Client } from './client.ts'
import { createDevice, createJob } from './objects.ts'

export type Id = { readonly id: number }

const ROOT_ID = 1

/** A new device below the root group. */
export function makeDevice(client: Client, fields: object = {}): Promise<number> {
  return createDevice(client, ROOT_ID, { name: 'a device of a test', ...fields })
}

/** A new job below the device. */
export function makeJob(client: Client, deviceId: number, fields: object = {}): Promise<number> {
  return createJob(client, deviceId, { name: 'a job of a test', ...fields })
}
