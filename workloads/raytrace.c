/*
 * raytrace - stands for eon (SPEC CPU2000 252.eon), a probabilistic ray tracer.
 *
 * Eon is object-oriented C++: shapes, materials, textures and renderers are
 * classes, nearly all work is done in small methods reached through virtual
 * calls, and one scene is rendered by several algorithms. The same here with
 * tables of function pointers: spheres, triangles and slabs; matte, metal, glass and glowing
 * materials; plain, chequered and marbled textures; a hierarchy of bounding boxes over everything;
 * and two renderers, Cook's (shadow rays to lights, mirrors followed) and Kajiya's (random paths
 * until they leave or are extinguished). Double precision arithmetic with divisions and square
 * roots, recursion, indirect calls, branches that depend on geometry and chance; the data mostly
 * stay cached.
 *
 * Checked: the hierarchy finds the same hits as trying every shape, each hit
 * lies on its shape's surface, and no path is brighter than the brightest
 * thing it can see.
 */
#include "raytrace_shapes.h"

struct texture {
	struct vec (*colour)(const struct texture *, struct vec point);
	struct vec first, second;
	double grain;
};

static struct vec plain_colour(const struct texture *t, struct vec point)
{
	(void)point;
	return t->first;
}

static struct vec chequered_colour(const struct texture *t, struct vec point)
{
	int64_t x = (int64_t)(point.x * t->grain + 1000.0),
		y = (int64_t)(point.y * t->grain + 1000.0);
	int64_t z = (int64_t)(point.z * t->grain + 1000.0);

	return (x + y + z) & 1 ? t->first : t->second;
}

static double lattice_value(int64_t x, int64_t y, int64_t z)
{
	uint64_t h = (uint64_t)x * 73856093u ^ (uint64_t)y * 19349663u ^ (uint64_t)z * 83492791u;

	h = (h ^ h >> 13) * UINT64_C(0x9e3779b97f4a7c15);
	return (double)(h >> 40) * 0x1p-24;
}

static double noise(struct vec p)
{
	int64_t x = (int64_t)(p.x + 1000.0), y = (int64_t)(p.y + 1000.0);
	int64_t z = (int64_t)(p.z + 1000.0);
	double fx = p.x + 1000.0 - (double)x, fy = p.y + 1000.0 - (double)y;
	double fz = p.z + 1000.0 - (double)z, sum = 0.0;

	for (int corner = 0; corner < 8; corner++) {
		int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2;

		sum += lattice_value(x + dx, y + dy, z + dz) * (dx ? fx : 1.0 - fx) *
		       (dy ? fy : 1.0 - fy) * (dz ? fz : 1.0 - fz);
	}
	return sum;
}

static struct vec marbled_colour(const struct texture *t, struct vec point)
{
	double weight = 0.5, value = 0.0;

	for (struct vec p = scale(point, t->grain); weight > 0.1; weight *= 0.5) {
		value += weight * noise(p);
		p = scale(p, 2.0);
	}
	return add(scale(t->first, value), scale(t->second, 1.0 - value));
}

/* What a surface does to a ray that arrives; a lamp does not scatter. */
struct material {
	void (*scatter)(const struct material *, struct workload *, const struct ray *,
			const struct hit *, struct vec *tint, struct ray *out);
	const struct texture *texture;
	double glow, polish;
	int mirrors;
};

/* Each coordinate in -1 .. 1. */
static struct vec random_in_cube(struct workload *w)
{
	double x = 2.0 * workload_unit(w) - 1.0, y = 2.0 * workload_unit(w) - 1.0;
	double z = 2.0 * workload_unit(w) - 1.0;

	return vec(x, y, z);
}

static struct vec random_in_ball(struct workload *w)
{
	struct vec p;

	do {
		p = random_in_cube(w);
	} while (dot(p, p) >= 1.0 || dot(p, p) < 1e-6);
	return p;
}

static struct vec reflected(struct vec along, struct vec normal)
{
	return sub(along, scale(normal, 2.0 * dot(along, normal)));
}

static void matte_scatter(const struct material *m, struct workload *w, const struct ray *in,
			  const struct hit *hit, struct vec *tint, struct ray *out)
{
	struct vec normal =
		dot(in->along, hit->normal) < 0.0 ? hit->normal : scale(hit->normal, -1.0);

	out->from = hit->point;
	out->along = unit(add(scale(normal, 1.000001), unit(random_in_ball(w))));
	*tint = m->texture->colour(m->texture, hit->point);
}

static void metal_scatter(const struct material *m, struct workload *w, const struct ray *in,
			  const struct hit *hit, struct vec *tint, struct ray *out)
{
	struct vec mirror = reflected(in->along, hit->normal);

	out->from = hit->point;
	out->along = unit(add(mirror, scale(random_in_ball(w), m->polish)));
	*tint = m->texture->colour(m->texture, hit->point);
}

static void glass_scatter(const struct material *m, struct workload *w, const struct ray *in,
			  const struct hit *hit, struct vec *tint, struct ray *out)
{
	double cosine = -dot(in->along, hit->normal), ratio = 1.0 / m->polish, k, r0, f, fresnel;
	struct vec normal = hit->normal;

	if (cosine < 0.0) {
		cosine = -cosine;
		normal = scale(normal, -1.0);
		ratio = m->polish;
	}
	k = 1.0 - ratio * ratio * (1.0 - cosine * cosine);
	r0 = (1.0 - m->polish) / (1.0 + m->polish);
	f = 1.0 - cosine;
	fresnel = r0 * r0 + (1.0 - r0 * r0) * f * f * f * f * f;
	out->from = hit->point;
	if (k <= 0.0 || workload_unit(w) < fresnel)
		out->along = reflected(in->along, normal);
	else
		out->along = add(scale(in->along, ratio), scale(normal, ratio * cosine - sqrt(k)));
	out->along = unit(out->along);
	*tint = m->texture->colour(m->texture, hit->point);
}

enum { MAX_LIGHTS = 4, TEXTURES = 6, MATERIALS = 9, LEAF_SHAPES = 3 };

struct node {
	struct box box;
	struct node *child[2];
	int first, count, axis;
};

struct scene {
	const struct shape **shape;
	int n_shapes;
	struct node *node, *root;
	int n_nodes;
	struct texture texture[TEXTURES];
	struct material material[MATERIALS];
	const struct sphere *light[MAX_LIGHTS];
	int n_lights;
	double brightest;
	uint64_t rays;
};

static void *scene_add(struct scene *s, size_t size, const struct shape_kind *kind, int material)
{
	struct shape *shape = workload_alloc(size);

	shape->kind = kind;
	shape->material = &s->material[material];
	s->shape[s->n_shapes++] = shape;
	return shape;
}

static void add_sphere(struct scene *s, struct vec centre, double radius, int material)
{
	struct sphere *new = scene_add(s, sizeof(*new), &sphere_kind, material);

	new->centre = centre;
	new->radius = radius;
	if (s->material[material].glow > 0.0 && s->n_lights < MAX_LIGHTS)
		s->light[s->n_lights++] = new;
}

static void add_triangle(struct scene *s, struct vec a, struct vec b, struct vec c, int material)
{
	struct triangle *new = scene_add(s, sizeof(*new), &triangle_kind, material);

	new->corner = a;
	new->edge1 = sub(b, a);
	new->edge2 = sub(c, a);
	new->normal = unit(cross(new->edge1, new->edge2));
}

static void add_slab(struct scene *s, struct vec low, struct vec high, int material)
{
	struct slab *new = scene_add(s, sizeof(*new), &slab_kind, material);

	new->box = (struct box){low, high};
}

static struct vec random_colour(struct workload *w)
{
	return add(vec(0.55, 0.55, 0.55), scale(random_in_cube(w), 0.35));
}

static void make_materials(struct workload *w, struct scene *s)
{
	s->brightest = 6.0;
	for (int i = 0; i < TEXTURES; i++) {
		struct texture *t = &s->texture[i];

		t->colour = i < 3 ? plain_colour : i < 4 ? chequered_colour : marbled_colour;
		t->first = random_colour(w);
		t->second = random_colour(w);
		t->grain = 0.7 + 2.0 * workload_unit(w);
	}
	for (int i = 0; i < MATERIALS; i++) {
		struct material *m = &s->material[i];

		m->texture = &s->texture[i % TEXTURES];
		m->scatter = i < 5 ? matte_scatter : i < 7 ? metal_scatter : glass_scatter;
		m->polish = i < 7 ? 0.15 * workload_unit(w) : 1.5;
		m->mirrors = i >= 5;
	}
	s->material[MATERIALS - 1].scatter = NULL;
	s->material[MATERIALS - 1].glow = s->brightest;
	s->material[MATERIALS - 1].mirrors = 0;
}

/* A hilly floor of triangles, with boxes, balls and lamps scattered about above it. */
static void scene_build(struct workload *w, struct scene *s, int grid, int things)
{
	double half = 8.0, pace = 2.0 * half / grid;
	double *height = workload_alloc((size_t)(grid + 1) * (size_t)(grid + 1) * sizeof(*height));

	s->shape =
		workload_alloc((size_t)(2 * grid * grid + things + MAX_LIGHTS) * sizeof(*s->shape));
	make_materials(w, s);
	for (int i = 0; i < (grid + 1) * (grid + 1); i++)
		height[i] = 0.6 * workload_unit(w);
	for (int y = 0; y < grid; y++)
		for (int x = 0; x < grid; x++) {
			const double *h = height + y * (grid + 1) + x;
			double x0 = x * pace - half, y0 = y * pace - half;
			struct vec a = vec(x0, y0, h[0]), b = vec(x0 + pace, y0, h[1]);
			struct vec c = vec(x0, y0 + pace, h[grid + 1]);
			struct vec d = vec(x0 + pace, y0 + pace, h[grid + 2]);

			add_triangle(s, a, b, c, (x + y) % 5);
			add_triangle(s, b, d, c, (x + 2 * y) % 5);
		}
	for (int i = 0; i < things; i++) {
		struct vec at =
			add(vec(0.0, 0.0, 1.2), mul(vec(half, half, 0.8), random_in_cube(w)));
		double size = 0.15 + 0.45 * workload_unit(w);
		int material = (int)workload_below(w, MATERIALS - 1);

		if (workload_below(w, 2))
			add_sphere(s, at, size, material);
		else
			add_slab(s, at, add(at, vec(size, size, 2.0 * size)), material);
	}
	for (int i = 0; i < MAX_LIGHTS; i++) {
		struct vec spread = mul(vec(4.0, 4.0, 0.5), random_in_cube(w));

		add_sphere(s, add(vec(0.0, 0.0, 5.5), spread), 0.8, MATERIALS - 1);
	}
	free(height);
}

static double shape_centre(const struct shape *shape, int axis)
{
	struct box b = shape->kind->bounds(shape);

	return axis_of(b.low, axis) + axis_of(b.high, axis);
}

/* Quickselect: the middle shape along the axis ends up in the middle. */
static void split_shapes(const struct shape **shape, int count, int axis)
{
	int low = 0, high = count - 1, middle = count / 2;

	while (low < high) {
		double pivot = shape_centre(shape[(low + high) / 2], axis);
		int i = low, j = high;

		while (i <= j) {
			while (shape_centre(shape[i], axis) < pivot)
				i++;
			while (shape_centre(shape[j], axis) > pivot)
				j--;
			if (i <= j) {
				const struct shape *swapped = shape[i];

				shape[i++] = shape[j];
				shape[j--] = swapped;
			}
		}
		if (middle <= j)
			high = j;
		else if (middle >= i)
			low = i;
		else
			return;
	}
}

static struct node *scene_index(struct scene *s, int first, int count)
{
	struct node *n = &s->node[s->n_nodes++];
	struct vec extent;

	n->box = s->shape[first]->kind->bounds(s->shape[first]);
	for (int i = first + 1; i < first + count; i++) {
		struct box b = s->shape[i]->kind->bounds(s->shape[i]);

		n->box.low = vec(smaller(n->box.low.x, b.low.x), smaller(n->box.low.y, b.low.y),
				 smaller(n->box.low.z, b.low.z));
		n->box.high = vec(larger(n->box.high.x, b.high.x), larger(n->box.high.y, b.high.y),
				  larger(n->box.high.z, b.high.z));
	}
	n->first = first;
	n->count = count;
	if (count <= LEAF_SHAPES)
		return n;
	extent = sub(n->box.high, n->box.low);
	n->axis =
		extent.x > extent.y ? (extent.x > extent.z ? 0 : 2) : (extent.y > extent.z ? 1 : 2);
	split_shapes(s->shape + first, count, n->axis);
	n->child[0] = scene_index(s, first, count / 2);
	n->child[1] = scene_index(s, first + count / 2, count - count / 2);
	return n;
}

static int box_meets(const struct box *b, const struct ray *r, struct vec inverse, double t_max)
{
	double x0 = (b->low.x - r->from.x) * inverse.x, x1 = (b->high.x - r->from.x) * inverse.x;
	double y0 = (b->low.y - r->from.y) * inverse.y, y1 = (b->high.y - r->from.y) * inverse.y;
	double z0 = (b->low.z - r->from.z) * inverse.z, z1 = (b->high.z - r->from.z) * inverse.z;
	double enter = larger(smaller(x0, x1), larger(smaller(y0, y1), smaller(z0, z1)));
	double leave = smaller(larger(x0, x1), smaller(larger(y0, y1), larger(z0, z1)));

	return enter <= leave * (1.0 + 1e-12) + 1e-12 && leave > 0.0 && enter < t_max;
}

static int try_shapes(const struct scene *s, int first, int count, const struct ray *r,
		      struct hit *hit)
{
	int found = 0;

	for (int i = first; i < first + count; i++)
		if (s->shape[i]->kind->meet(s->shape[i], r, hit)) {
			hit->shape = s->shape[i];
			found = 1;
		}
	return found;
}

static int node_meet(const struct scene *s, const struct node *n, const struct ray *r,
		     struct vec inverse, struct hit *hit)
{
	int nearer, found;

	if (!box_meets(&n->box, r, inverse, hit->t))
		return 0;
	if (!n->child[0])
		return try_shapes(s, n->first, n->count, r, hit);
	nearer = axis_of(r->along, n->axis) < 0.0;
	found = node_meet(s, n->child[nearer], r, inverse, hit);
	return found | node_meet(s, n->child[!nearer], r, inverse, hit);
}

static int scene_meet(struct scene *s, const struct ray *r, struct hit *hit, double t_max)
{
	struct vec inverse = vec(1.0 / r->along.x, 1.0 / r->along.y, 1.0 / r->along.z);

	s->rays++;
	hit->t = t_max;
	if (!node_meet(s, s->root, r, inverse, hit))
		return 0;
	hit->point = ray_at(r, hit->t);
	return 1;
}

static struct vec sky(const struct ray *r)
{
	double up = 0.5 * (r->along.z + 1.0);

	return add(scale(vec(0.9, 0.8, 0.7), 1.0 - up), scale(vec(0.3, 0.5, 0.9), up));
}

typedef struct vec renderer(struct workload *, struct scene *, const struct ray *, int depth);

/* Kajiya: one random continuation per hit, extinguished by chance as the path grows dim. */
static struct vec render_paths(struct workload *w, struct scene *s, const struct ray *r, int depth)
{
	struct hit hit;
	const struct material *m;
	struct vec tint, light;
	struct ray next;
	double survive;

	if (!scene_meet(s, r, &hit, 1e30))
		return sky(r);
	m = hit.shape->material;
	if (!m->scatter)
		return scale(vec(1.0, 1.0, 1.0), m->glow);
	m->scatter(m, w, r, &hit, &tint, &next);
	survive = depth < 3 ? 1.0 : larger(tint.x, larger(tint.y, tint.z));
	if (depth >= 12 || workload_unit(w) >= survive)
		return vec(0.0, 0.0, 0.0);
	light = mul(tint, render_paths(w, s, &next, depth + 1));
	return scale(light, 1.0 / survive);
}

/* Cook: light gathered by shadow rays to random points of the lamps; only mirrors recurse. */
static struct vec render_shadows(struct workload *w, struct scene *s, const struct ray *r,
				 int depth)
{
	struct hit hit, blocker;
	const struct material *m;
	struct vec tint, sum;
	struct ray next;

	if (!scene_meet(s, r, &hit, 1e30))
		return sky(r);
	m = hit.shape->material;
	if (!m->scatter)
		return scale(vec(1.0, 1.0, 1.0), m->glow);
	m->scatter(m, w, r, &hit, &tint, &next);
	if (m->mirrors)
		return depth >= 6 ? vec(0.0, 0.0, 0.0)
				  : mul(tint, render_shadows(w, s, &next, depth + 1));
	sum = vec(0.1, 0.1, 0.1);
	for (int i = 0; i < s->n_lights; i++) {
		const struct sphere *lamp = s->light[i];
		struct vec to = add(lamp->centre, scale(random_in_ball(w), lamp->radius));
		struct ray shadow = {hit.point, unit(sub(to, hit.point))};
		double cosine = fabs(dot(shadow.along, hit.normal));

		if (scene_meet(s, &shadow, &blocker, 1e30) && blocker.shape == &lamp->base)
			sum = add(sum,
				  scale(vec(0.2, 0.2, 0.2), cosine * lamp->base.material->glow));
	}
	return mul(tint, sum);
}

static struct ray camera_ray(struct workload *w, int x, int y, int size)
{
	struct vec eye = vec(-9.0, -7.0, 5.0), forward = unit(sub(vec(0.0, 0.0, 0.8), eye));
	struct vec right = unit(cross(forward, vec(0.0, 0.0, 1.0))), up = cross(right, forward);
	double u = (x + workload_unit(w)) / size * 2.0 - 1.0;
	double v = (y + workload_unit(w)) / size * 2.0 - 1.0;
	struct vec lens = scale(random_in_ball(w), 0.02);
	struct vec target = add(forward, add(scale(right, 0.6 * u), scale(up, 0.6 * v)));

	return (struct ray){add(eye, lens), unit(target)};
}

static void render(struct workload *w, struct scene *s, renderer *algorithm, int size, int samples)
{
	for (int y = 0; y < size; y++)
		for (int x = 0; x < size; x++) {
			struct vec sum = vec(0.0, 0.0, 0.0);

			for (int i = 0; i < samples; i++) {
				struct ray r = camera_ray(w, x, y, size);
				struct vec light = algorithm(w, s, &r, 0);

				workload_check(w,
					       light.x >= 0.0 && light.x <= s->brightest &&
						       light.z >= 0.0 && light.z <= s->brightest,
					       "no path is brighter than the brightest thing");
				sum = add(sum, light);
			}
			workload_digest_double(w, sum.x + sum.y + sum.z);
		}
}

static void check_hierarchy(struct workload *w, struct scene *s, int rays)
{
	for (int i = 0; i < rays; i++) {
		int x = (int)workload_below(w, 64), y = (int)workload_below(w, 64);
		struct ray r = camera_ray(w, x, y, 64);
		struct hit found, expected = {.t = 1e30};
		int hits = scene_meet(s, &r, &found, 1e30);

		workload_check(w, hits == try_shapes(s, 0, s->n_shapes, &r, &expected),
			       "the hierarchy hits when some shape is hit");
		if (!hits)
			continue;
		workload_check(w, found.t == expected.t, "the hierarchy finds the nearest hit");
		workload_check(w, found.shape->kind->residual(found.shape, found.point) < 1e-6,
			       "a hit lies on the surface");
	}
}

int main(int argc, char **argv)
{
	static const struct {
		int grid, things, size, samples, checks;
	} plan[] = {{6, 20, 7, 1, 4}, {16, 90, 24, 2, 40}, {40, 400, 56, 4, 200}};
	struct workload w = workload_begin("raytrace", argc, argv);
	struct scene *s = workload_alloc(sizeof(*s));
	int size = plan[w.size].size, samples = plan[w.size].samples;

	scene_build(&w, s, plan[w.size].grid, plan[w.size].things);
	s->node = workload_alloc(2 * (size_t)s->n_shapes * sizeof(*s->node));
	s->root = scene_index(s, 0, s->n_shapes);
	check_hierarchy(&w, s, plan[w.size].checks);
	render(&w, s, render_shadows, size, samples);
	render(&w, s, render_paths, size, samples);
	workload_digest(&w, s->rays);
	for (int i = 0; i < s->n_shapes; i++)
		free((void *)(uintptr_t)s->shape[i]);
	free(s->shape);
	free(s->node);
	free(s);
	return workload_end(&w);
}
