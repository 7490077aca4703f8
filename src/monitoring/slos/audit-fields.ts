import type { SloRow } from './store.ts'

/** The own fields of a service level object as a request sets them, for the audit log and for the view. */
export function auditFieldsOf({ deviceId, pushState, sortMode, isReason, childrenFilter, ...row }: SloRow) {
  const { rules, costsPerMin, currency, riskFactor } = row
  const { operation: stateOperation, counters, ignoreMaintenance } = rules
  return {
    deviceId,
    stateOperation,
    ...counters,
    ignoreMaintenance,
    pushState,
    sortMode,
    isReason,
    childrenFilter,
    parameters: { costsPerMin, currency, riskFactor },
  }
}
