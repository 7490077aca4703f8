/** The ids of the objects that the plant consists of; absent while they are not made. */
export type Made = {
  readonly groupId?: number
  /** Every object at or below the group, once all are made. */
  readonly objectIds?: readonly number[]
  readonly userIds?: readonly number[]
  readonly recipientId?: number
  readonly scriptId?: number
}
