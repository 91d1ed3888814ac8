/*
 * contained.h - what a program tried that it may not do, and what became of it, in a sentence for
 * who ordered the run. Commands say it with the options that would allow it, which a client of a
 * server cannot give.
 */
#ifndef WEB_CONTAINED_H
#define WEB_CONTAINED_H

/* What a sentence of a command says of that, to be freed; NULL: it is about something else. */
char *contained_sentence(const char *said);

#endif
