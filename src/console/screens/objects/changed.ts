import { invalidate } from '../../api/resource.ts'
import { forgetPlaces } from './trail.ts'

/** Reads again what shows objects, after one was made, changed or deleted. */
export function objectsChanged(): void {
  forgetPlaces()
  invalidate('/root/tree/', '/groups/', '/devices/', '/jobs/', '/slo', '/slc', '/alarms')
}
