/** Whether there is a data source of this id: this service has none, so that none is. */
export function isDataSource(_id: number): boolean {
  return false
}
