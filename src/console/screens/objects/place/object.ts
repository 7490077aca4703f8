import type { Answer } from '../../../api/client.ts'

/** A group or a device as the API answers it. */
export type PlaceObject = Answer<'/groups/{id}'> & Partial<Answer<'/devices/{id}'>>
