/*
 * key.h - a name for everything that decides a job's result, by which an equal job is recognised.
 *
 * A key is a SHA-256 of numbers and texts; each text goes in with its length, so that no two lists
 * of texts are the same bytes. Every part of the job adds what it is and what it was given
 * (job_part_kind.key): a part that adds nothing is told by its name.
 */
#ifndef JOB_KEY_H
#define JOB_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOB_KEY_BYTES 65 /* in hexadecimal, with its end */

struct job;
struct job_key;

/* The key of a job with a machine; `tool` is whatever else a result depends on. False if results of
 * such a job are not kept: it uses files of the host, or a part refuses. */
bool job_key(const struct job *job, const char *tool, char text[JOB_KEY_BYTES]);

/* For parts. */
void job_key_number(struct job_key *key, uint64_t number);
void job_key_text(struct job_key *key, const char *text); /* NULL is not the empty text */
void job_key_bytes(struct job_key *key, const void *bytes, size_t count); /* NULL: none */
void job_key_texts(struct job_key *key, const char *const *texts, size_t count);

#endif
