/** Binary digits of a log row's number within its part: a part has 1024 numbers. */
export const PART_BITS = 10;
/** Channel of the notices of new log rows. */
export const LOG_CHANNEL = "svc_request_log";
