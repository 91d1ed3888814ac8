/* Requests: addresses taken apart, the door, routes. */
#include "../test.h"

#include "web/routes.h"

static bool reads(const char *target)
{
	struct web_request request;
	struct err err;
	const bool ok = web_request_read(&request, WEB_GET, target, &err);

	web_request_release(&request);
	return ok;
}

TEST(an_address_has_harmless_segments_only)
{
	static const char *const good[] = {"/", "/runs/1", "/a.b-c_d/e", "/?a=b", "/x?a=%41&b=c+d"};
	static const char *const bad[] = {
		"",    "runs",	  "//",	     "/a//b",	"/a/",	   "/..",
		"/.",  "/a/../b", "/%2e%2e", "/a\\b",	"/a b",	   "/\xc3\xa4",
		"/?a", "/?a=%0",  "/?a=%00", "/?a=%ff", "/?a=%1b", "/1/2/3/4/5/6/7/8/9"};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(reads(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(reads(bad[i]));
}

TEST(values_are_decoded_once)
{
	struct web_request request;

	assert_true(web_request_read(&request, WEB_GET, "/x?a=%2525+b&c=%40", NULL));
	assert_string_equal(web_request_value(&request, "a"), "%25 b");
	assert_string_equal(web_request_value(&request, "c"), "@");
	assert_null(web_request_value(&request, "d"));
	web_request_release(&request);
}

/* The status for a request with these headers. */
static unsigned knock(const char *token, enum web_method method, const char *target,
		      struct web_headers headers)
{
	static const char *const names[] = {"localhost:8650"};
	const struct web_door door = {.names = names, .name_count = 1, .token = token};
	struct web_request request;

	assert_true(web_request_read(&request, method, target, NULL));
	const unsigned status = web_door_check(&door, &request, &headers, true, NULL);
	web_request_release(&request);
	return status;
}

TEST(only_its_own_name_leads_in)
{
	assert_int_equal(knock(NULL, WEB_GET, "/api/v1", (struct web_headers){0}), 421);
	assert_int_equal(knock(NULL, WEB_GET, "/api/v1", (struct web_headers){.host = "evil"}),
			 421);
	assert_int_equal(
		knock(NULL, WEB_GET, "/api/v1", (struct web_headers){.host = "localhost:8651"}),
		421);
	assert_int_equal(
		knock(NULL, WEB_GET, "/api/v1", (struct web_headers){.host = "LocalHost:8650"}), 0);
}

TEST(pages_of_other_sites_are_refused)
{
	const struct web_headers foreign = {.host = "localhost:8650", .origin = "http://evil"};
	const struct web_headers longer = {.host = "localhost:8650",
					   .origin = "http://localhost:8650.evil"};
	const struct web_headers own = {.host = "localhost:8650",
					.origin = "http://localhost:8650",
					.fetch_site = "same-origin"};
	const struct web_headers led = {.host = "localhost:8650", .fetch_site = "cross-site"};

	assert_int_equal(knock(NULL, WEB_POST, "/api/v1/runs", foreign), 403);
	assert_int_equal(knock(NULL, WEB_POST, "/api/v1/runs", longer), 403);
	assert_int_equal(knock(NULL, WEB_POST, "/api/v1/runs", own), 0);
	assert_int_equal(knock(NULL, WEB_GET, "/api/v1/runs", led), 403);
	assert_int_equal(knock(NULL, WEB_POST, "/runs/1", led), 403);
	/* A link to a page is no harm. */
	assert_int_equal(knock(NULL, WEB_GET, "/runs/1", led), 0);
}

TEST(the_token_is_needed_whole)
{
	static const char token[] = "0123456789abcdef";
	static const char *const bad[] = {
		"Bearer 0123456789abcde", "Bearer 0123456789abcdef0", "Bearer ",
		"Basic 0123456789abcdef", "0123456789abcdef",	      "Bearer 0123456789abcdeF"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(knock(token, WEB_GET, "/api/v1",
				       (struct web_headers){.host = "localhost:8650",
							    .authorization = bad[i]}),
				 401);
	assert_int_equal(knock(token, WEB_GET, "/api/v1",
			       (struct web_headers){.host = "localhost:8650",
						    .authorization = "Bearer 0123456789abcdef"}),
			 0);
	assert_int_equal(
		knock(token, WEB_GET, "/api/v1",
		      (struct web_headers){.host = "localhost:8650",
					   .cookie = "a=b; cyclestack_token=0123456789abcdef"}),
		0);
	assert_int_equal(
		knock(token, WEB_GET, "/api/v1",
		      (struct web_headers){.host = "localhost:8650",
					   .cookie = "xcyclestack_token=0123456789abcdef"}),
		401);
}

TEST(an_address_has_one_row)
{
	struct web_request request;
	unsigned allowed;

	assert_true(web_request_read(&request, WEB_DELETE, "/api/v1/runs/12", NULL));
	assert_int_equal(route_find(&request, &allowed), ROUTE_RUN_DELETE);
	web_request_release(&request);
	assert_true(web_request_read(&request, WEB_DELETE, "/api/v1/runs", NULL));
	assert_int_equal(route_find(&request, &allowed), ROUTE_COUNT);
	assert_int_equal(allowed, 1u << WEB_GET | 1u << WEB_POST);
	web_request_release(&request);
	assert_true(web_request_read(&request, WEB_GET, "/", NULL));
	assert_int_equal(route_find(&request, &allowed), ROUTE_PAGE);
	web_request_release(&request);
}
