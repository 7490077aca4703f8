/** Who calls the service from outside. */
export interface Network {
  /** The address of whoever sent the request; empty where the host cannot tell. */
  addressOf(request: Request): string
}
