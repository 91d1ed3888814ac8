/*
 * raytrace_shapes.h - vectors, rays and the shapes of the raytrace workload.
 *
 * A shape is a struct that begins with struct shape, whose kind is a table of
 * methods. Hits nearer than TOO_CLOSE do not count, so that a ray can start on
 * the surface it left. Only raytrace.c includes this file.
 */
#ifndef RAYTRACE_SHAPES_H
#define RAYTRACE_SHAPES_H

#include <math.h>

#include "workload.h"

struct vec {
	double x, y, z;
};

static struct vec vec(double x, double y, double z)
{
	return (struct vec){x, y, z};
}

static struct vec add(struct vec a, struct vec b)
{
	return vec(a.x + b.x, a.y + b.y, a.z + b.z);
}

static struct vec sub(struct vec a, struct vec b)
{
	return vec(a.x - b.x, a.y - b.y, a.z - b.z);
}

static struct vec mul(struct vec a, struct vec b)
{
	return vec(a.x * b.x, a.y * b.y, a.z * b.z);
}

static struct vec scale(struct vec a, double s)
{
	return vec(a.x * s, a.y * s, a.z * s);
}

static double dot(struct vec a, struct vec b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vec cross(struct vec a, struct vec b)
{
	return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static struct vec unit(struct vec a)
{
	return scale(a, 1.0 / sqrt(dot(a, a)));
}

static double axis_of(struct vec a, int axis)
{
	return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

struct ray {
	struct vec from, along;
};

struct hit {
	double t;
	const struct shape *shape;
	struct vec point, normal;
};

struct box {
	struct vec low, high;
};

struct shape_kind {
	/* A hit nearer than hit->t but not too close fills in t and the outward normal. */
	int (*meet)(const struct shape *, const struct ray *, struct hit *);
	struct box (*bounds)(const struct shape *);
	/* How far a point is from the surface, roughly. */
	double (*residual)(const struct shape *, struct vec point);
};

struct shape {
	const struct shape_kind *kind;
	const struct material *material;
};

#define TOO_CLOSE 1e-7

static struct vec ray_at(const struct ray *r, double t)
{
	return add(r->from, scale(r->along, t));
}

static int in_reach(double t, const struct hit *hit)
{
	return t > TOO_CLOSE && t < hit->t;
}

struct sphere {
	struct shape base;
	struct vec centre;
	double radius;
};

static int sphere_meet(const struct shape *shape, const struct ray *r, struct hit *hit)
{
	const struct sphere *s = (const struct sphere *)shape;
	struct vec oc = sub(r->from, s->centre);
	double b = dot(oc, r->along), c = dot(oc, oc) - s->radius * s->radius;
	double d = b * b - c, root, t;

	if (d <= 0.0)
		return 0;
	root = sqrt(d);
	t = -b - root;
	if (!in_reach(t, hit)) {
		t = -b + root;
		if (!in_reach(t, hit))
			return 0;
	}
	hit->t = t;
	hit->normal = scale(sub(ray_at(r, t), s->centre), 1.0 / s->radius);
	return 1;
}

static struct box sphere_bounds(const struct shape *shape)
{
	const struct sphere *s = (const struct sphere *)shape;
	struct vec reach = vec(s->radius, s->radius, s->radius);

	return (struct box){sub(s->centre, reach), add(s->centre, reach)};
}

static double sphere_residual(const struct shape *shape, struct vec point)
{
	const struct sphere *s = (const struct sphere *)shape;
	struct vec d = sub(point, s->centre);

	return fabs(sqrt(dot(d, d)) - s->radius);
}

static const struct shape_kind sphere_kind = {sphere_meet, sphere_bounds, sphere_residual};

struct triangle {
	struct shape base;
	struct vec corner, edge1, edge2, normal;
};

static int triangle_meet(const struct shape *shape, const struct ray *r, struct hit *hit)
{
	const struct triangle *s = (const struct triangle *)shape;
	struct vec p = cross(r->along, s->edge2), q, to = sub(r->from, s->corner);
	double det = dot(s->edge1, p), u, v, t;

	if (fabs(det) < 1e-12)
		return 0;
	det = 1.0 / det;
	u = dot(to, p) * det;
	if (u < 0.0 || u > 1.0)
		return 0;
	q = cross(to, s->edge1);
	v = dot(r->along, q) * det;
	if (v < 0.0 || u + v > 1.0)
		return 0;
	t = dot(s->edge2, q) * det;
	if (!in_reach(t, hit))
		return 0;
	hit->t = t;
	hit->normal = s->normal;
	return 1;
}

static struct box triangle_bounds(const struct shape *shape)
{
	const struct triangle *s = (const struct triangle *)shape;
	struct vec b = add(s->corner, s->edge1), c = add(s->corner, s->edge2), a = s->corner;

	return (struct box){vec(smaller(a.x, smaller(b.x, c.x)), smaller(a.y, smaller(b.y, c.y)),
				smaller(a.z, smaller(b.z, c.z))),
			    vec(larger(a.x, larger(b.x, c.x)), larger(a.y, larger(b.y, c.y)),
				larger(a.z, larger(b.z, c.z)))};
}

static double triangle_residual(const struct shape *shape, struct vec point)
{
	const struct triangle *s = (const struct triangle *)shape;

	return fabs(dot(sub(point, s->corner), s->normal));
}

static const struct shape_kind triangle_kind = {triangle_meet, triangle_bounds, triangle_residual};

struct slab {
	struct shape base;
	struct box box;
};

static int slab_meet(const struct shape *shape, const struct ray *r, struct hit *hit)
{
	const struct slab *s = (const struct slab *)shape;
	double enter = -1e30, leave = 1e30, t;
	int enter_axis = 0, leave_axis = 0, axis;
	double normal[3] = {0.0, 0.0, 0.0};

	for (axis = 0; axis < 3; axis++) {
		double from = axis_of(r->from, axis), inverse = 1.0 / axis_of(r->along, axis);
		double near = (axis_of(s->box.low, axis) - from) * inverse;
		double far = (axis_of(s->box.high, axis) - from) * inverse;

		if (near > far) {
			double swapped = near;

			near = far;
			far = swapped;
		}
		if (near > enter) {
			enter = near;
			enter_axis = axis;
		}
		if (far < leave) {
			leave = far;
			leave_axis = axis;
		}
	}
	if (enter >= leave)
		return 0;
	t = enter;
	axis = enter_axis;
	if (!in_reach(t, hit)) {
		t = leave;
		axis = leave_axis;
		if (!in_reach(t, hit))
			return 0;
	}
	normal[axis] = (axis_of(r->along, axis) > 0.0) == (t == leave) ? 1.0 : -1.0;
	hit->t = t;
	hit->normal = vec(normal[0], normal[1], normal[2]);
	return 1;
}

static struct box slab_bounds(const struct shape *shape)
{
	return ((const struct slab *)shape)->box;
}

static double slab_residual(const struct shape *shape, struct vec point)
{
	const struct slab *s = (const struct slab *)shape;
	double best = 1e30;

	for (int axis = 0; axis < 3; axis++) {
		best = smaller(best, fabs(axis_of(point, axis) - axis_of(s->box.low, axis)));
		best = smaller(best, fabs(axis_of(point, axis) - axis_of(s->box.high, axis)));
	}
	return best;
}

static const struct shape_kind slab_kind = {slab_meet, slab_bounds, slab_residual};

#endif
