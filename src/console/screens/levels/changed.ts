import { invalidate } from '../../api/resource.ts'

/** Reads again what shows service levels, after one was made, changed or deleted. */
export function levelsChanged(): void {
  invalidate('/slo', '/slc', '/root/tree/')
}
