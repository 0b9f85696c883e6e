/** A process that imports the client library, and does nothing with it. */
import "@svc/sdk";
