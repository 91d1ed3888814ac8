/*
 * number.h - numbers as text, the same in every locale.
 */
#ifndef DOC_NUMBER_H
#define DOC_NUMBER_H

#define NUMBER_BYTES 48

/* Rounded to so many places, with a point: 1234.57. */
const char *number_plain(char text[NUMBER_BYTES], double value, unsigned places);
/* The same with a comma between thousands: 1,234.57. */
const char *number_grouped(char text[NUMBER_BYTES], double value, unsigned places);
/* At most 6 characters for any value below 10^18: 1234, 12.3k, -4.56M. */
const char *number_short(char text[NUMBER_BYTES], double value);
/* As many digits as are needed to read the value back, and no more than 15: 0.1, 12, 1e+20. */
const char *number_exact(char text[NUMBER_BYTES], double value);

#endif
