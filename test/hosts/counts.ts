/** What the platform bills. */
export type Counts = {
  workerRequests: number
  /** Calls of objects, by their binding. */
  objectRequests: { JOB: number; FLOW: number; EVENTS: number; DISPATCH: number }
  /** Alarms that went off, by the binding of their objects; each is billed as a request. */
  alarms: { JOB: number; FLOW: number }
  /** Each is billed as a row written. */
  setAlarms: { JOB: number; FLOW: number; EVENTS: number; DISPATCH: number }
  d1Calls: number
  d1RowsRead: number
  d1RowsWritten: number
  objectRowsRead: number
  objectRowsWritten: number
}
