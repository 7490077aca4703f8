/** Who calls the service from outside, and whom it calls. */
export interface Network {
  /** The address of whoever sent the request; empty where the host cannot tell. */
  addressOf(request: Request): string
  /** Sends a request out, with certificates checked. */
  fetch(request: Request): Promise<Response>
}
