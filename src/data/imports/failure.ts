import type { ImportFault } from '../../domain/import-plan.ts'

/** Thrown when a file cannot be imported, with the first faults that were found. */
export class ImportFailure extends Error {
  override readonly name = 'ImportFailure'

  constructor(readonly faults: readonly [ImportFault, ...ImportFault[]]) {
    super(faults[0].message)
  }
}
